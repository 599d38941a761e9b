import { assert, assertEquals, assertRejects } from "@std/assert";
import { LaneHeldError, PermanentError, TemporaryError } from "../../../lib/base/errors.ts";
import { listLanes } from "../../../lib/db/lanes_view.ts";
import { type TestApp, testApp } from "../../support/app.ts";
import { startProcess } from "../../support/process.ts";
import { startProxy } from "../../support/proxy.ts";
import { until } from "../../support/until.ts";
import {
  type AmocrmSettings,
  clientInLane,
  clientOf,
  consented,
  startWorld,
  type World,
} from "./support.ts";

const failing = async (app: TestApp) =>
  (await listLanes(app.db, "failing")).map(({ name, reason }) => [name, reason]);
const pairs = async (app: TestApp) =>
  (await app.rows`select pair from amocrm_tokens order by pair`).map(({ pair }) => pair);
/** As if the process that refreshes had died and its lease had run out. */
const endLeases = (app: TestApp) =>
  app
    .rows`update amocrm_tokens set leased_until = now() - interval '1 second' where lease is not null`;

async function withLead(): Promise<World & { readonly lead: string }> {
  const world = await startWorld();
  return { ...world, lead: `${world.fake.crm.createLead({}).id}` };
}

Deno.test("Thirty calls in three processes with an expired token refresh once, and all are answered (F131)", async () => {
  await using world = await withLead();
  const { fake, app, lead } = world;
  const settings = consented(fake);
  await clientOf(app, settings).lead(lead);
  await app.rows`update amocrm_tokens set expires_at = now()`;
  await using second = testApp({ url: app.config.DATABASE_URL });
  await using third = testApp({ url: app.config.DATABASE_URL });
  const clients = Array.from(
    { length: 30 },
    (_, index) => clientOf([app, second, third][index % 3]!, settings),
  );
  const leads = await Promise.all(clients.map((client) => client.lead(lead)));
  assertEquals(leads.map((found) => found?.id), clients.map(() => lead));
  assertEquals([fake.counts().tokenRefreshes, fake.counts().tokenReuses], [2, 0]);
  assertEquals(await pairs(app), [2]);
});

Deno.test("Thirty calls whose token was revoked before its time refresh once, and are made again", async () => {
  await using world = await withLead();
  const { fake, app, lead } = world;
  const settings = consented(fake);
  await clientOf(app, settings).lead(lead);
  fake.tokens.expireAccess();
  const clients = Array.from({ length: 30 }, () => clientOf(app, settings));
  const leads = await Promise.all(clients.map((client) => client.lead(lead)));
  assertEquals(leads.map((found) => found?.id), clients.map(() => lead));
  assertEquals([fake.counts().tokenRefreshes, fake.counts().tokenReuses], [2, 0]);
});

Deno.test("The first pair comes from a code or from a refresh token, and later processes find it", async () => {
  await using world = await withLead();
  const { fake, app, lead } = world;
  for (const began of [{ AMOCRM_AUTH_CODE: fake.tokens.consent() }, undefined]) {
    const settings = consented(fake, began);
    assertEquals((await clientOf(app, settings).lead(lead))?.id, lead);
    await using other = testApp({ url: app.config.DATABASE_URL });
    assertEquals((await clientOf(other, settings).lead(lead))?.id, lead);
  }
  assertEquals(await pairs(app), [1, 1]);
  assertEquals(fake.counts().byStatus[401], undefined);
});

Deno.test("A process killed between saving a pair and using it leaves the pair to the others (F131)", async () => {
  await using world = await withLead();
  const { fake, app, lead } = world;
  const settings = consented(fake);
  fake.faults.next([{ delayMs: 60_000 }], { path: "/leads/" });
  await using process = await startReader(app, settings, lead);
  await until("the call with the new token", () => fake.counts().calls === 1);
  process.kill("SIGKILL");
  await process.exit;
  assertEquals(await pairs(app), [1]);
  assertEquals((await clientInLane(app, settings).lead(lead))?.id, lead);
  assertEquals(fake.counts().tokenRefreshes, 1);
});

Deno.test("A process killed before the answer was saved: the others wait for its lease, try once, and ask for a new consent", async () => {
  await using world = await withLead();
  const { fake, app, lead } = world;
  const settings = consented(fake);
  fake.faults.next([{ delayMs: 60_000 }], { path: "/oauth2/" });
  await using process = await startReader(app, settings, lead);
  await until("the token is used up", () => fake.counts().tokenRefreshes === 1);
  process.kill("SIGKILL");
  await process.exit;
  const busy = await assertRejects(() => clientInLane(app, settings).lead(lead), LaneHeldError);
  assert(!busy.caused);
  assertEquals([fake.counts().tokenReuses, await failing(app)], [0, []]);
  await endLeases(app);
  const held = await assertRejects(() => clientInLane(app, settings).lead(lead), LaneHeldError);
  assert(held.caused);
  const [[lane, reason] = []] = await failing(app);
  assertEquals(lane, "amocrm");
  for (
    const part of ["Token has been revoked", "AMOCRM_AUTH_CODE", "hookwork lane amocrm resume"]
  ) {
    assert(reason!.includes(part), reason!);
  }
  await app.rows`update lanes set paused_until = now() where since is not null`;
  const anew = consented(fake, { AMOCRM_AUTH_CODE: fake.tokens.consent() });
  assertEquals((await clientInLane(app, anew).lead(lead))?.id, lead);
  assertEquals([await failing(app), await pairs(app)], [[], [0, 1]]);
});

Deno.test("A lost answer keeps others from sending the same token while the first call may go on", async () => {
  await using world = await withLead();
  const { fake, app, lead } = world;
  const settings = consented(fake);
  fake.faults.next([{ lost: true }], { path: "/oauth2/" });
  await assertRejects(() => clientInLane(app, settings).lead(lead), LaneHeldError, "used up");
  assertEquals(await app.rows`select pair from amocrm_tokens where leased_until > now()`, [{
    pair: 0,
  }]);
});

Deno.test("Renewing ahead of time that fails holds nobody: the token that is left works on", async () => {
  await using world = await withLead();
  const { fake, app, lead } = world;
  const client = clientInLane(app, consented(fake));
  await client.lead(lead);
  fake.faults.next([{ lost: true }], { path: "/oauth2/" });
  await assertRejects(() => client.renewToken(), TemporaryError);
  await endLeases(app);
  await assertRejects(() => client.renewToken(), PermanentError, "AMOCRM_AUTH_CODE");
  assertEquals((await client.lead(lead))?.id, lead);
  assertEquals(await failing(app), []);
});

Deno.test("A process that came back late saves the only pair there is, though its lease is another's by now", async () => {
  await using world = await withLead();
  const { fake, app, lead } = world;
  fake.faults.next([{ delayMs: 300 }], { path: "/oauth2/" });
  const reading = clientInLane(app, consented(fake)).lead(lead);
  await until("the call is under way", () => fake.counts().tokenRefreshes === 1);
  await app.rows`update amocrm_tokens set lease = gen_random_uuid()`;
  assertEquals((await reading)?.id, lead);
  assertEquals(await pairs(app), [1]);
});

Deno.test("A pair that another has saved meanwhile is used, and one's own is dropped", async () => {
  await using world = await withLead();
  const { fake, app, lead } = world;
  fake.faults.next([{ delayMs: 300 }], { path: "/oauth2/" });
  const reading = clientInLane(app, consented(fake)).lead(lead);
  await until("the call is under way", () => fake.counts().tokenRefreshes === 1);
  const { access, refresh } = fake.tokens.issuePair();
  await app.rows`
    update amocrm_tokens set pair = 1, access_token = ${access}, refresh_token = ${refresh},
      expires_at = now() + interval '1 day', paired_at = now()`;
  assertEquals((await reading)?.id, lead);
  assertEquals(await app.rows`select access_token from amocrm_tokens`, [{ access_token: access }]);
  assert(app.lines.some(({ message }) => message.includes("dropped unused")));
});

Deno.test("A refusal is no refusal when another has saved a pair meanwhile", async () => {
  await using world = await withLead();
  const { fake, app, lead } = world;
  const { refresh } = fake.tokens.issuePair();
  const settings = consented(fake, { AMOCRM_REFRESH_TOKEN: refresh });
  await clientOf(app, settings).lead(lead);
  await app.rows`update amocrm_tokens set refresh_token = ${refresh}, expires_at = now()`;
  fake.faults.next([{ delayMs: 300 }], { path: "/oauth2/" });
  const reading = clientInLane(app, settings).lead(lead);
  await until("the used token was sent", () => fake.counts().tokenReuses === 1);
  await app.rows`
    update amocrm_tokens set pair = 2, access_token = ${fake.tokens.issuePair().access},
      expires_at = now() + interval '1 day'`;
  assertEquals((await reading)?.id, lead);
  assertEquals(await failing(app), []);
});

Deno.test("A job that is stopped while its refresh is under way saves the pair all the same", async () => {
  await using world = await withLead();
  const { fake, app, lead } = world;
  const stop = new AbortController();
  fake.faults.next([{ delayMs: 300 }], { path: "/oauth2/" });
  const reading = clientInLane(app, consented(fake), { signal: stop.signal }).lead(lead);
  await until("the call is under way", () => fake.counts().tokenRefreshes === 1);
  stop.abort(new Error("stopped"));
  await assertRejects(() => reading, Error, "stopped");
  assertEquals(await pairs(app), [1]);
  assertEquals(fake.counts().calls, 0);
});

Deno.test("A database that is away when the pair has come is waited for: this process alone has it", async () => {
  await using world = await withLead();
  const { fake, app, lead } = world;
  await using proxy = startProxy(app.config.DATABASE_URL);
  await using far = testApp({ url: proxy.url });
  fake.faults.next([{ delayMs: 300 }], { path: "/oauth2/" });
  const reading = clientOf(far, consented(fake)).lead(lead);
  await until("the call is under way", () => fake.counts().tokenRefreshes === 1);
  proxy.cut();
  await until("saving failed", () => far.lines.some((line) => line.message.includes("saved yet")));
  proxy.heal();
  assertEquals((await reading)?.id, lead);
  assertEquals(await pairs(app), [1]);
});

Deno.test("A process that stood still between its lease and its call does not make it: another may have the lease", async () => {
  await using world = await withLead();
  const { fake, app, lead } = world;
  const now = performance.now;
  const lanes = {
    async through<T>(_: string, call: () => Promise<T>): Promise<T> {
      performance.now = () => now.call(performance) + 21_000;
      try {
        return await call();
      } finally {
        performance.now = now;
      }
    },
  };
  const client = clientOf(app, consented(fake), { lanes });
  await assertRejects(() => client.lead(lead), TemporaryError, "held up");
  assertEquals([fake.counts().byStatus, await pairs(app)], [{}, [0]]);
});

Deno.test("A token service that is down pauses the lane, since nobody can call without a token", async () => {
  await using world = await withLead();
  const { fake, app, lead } = world;
  for (const status of [502, 503, 429, 200]) {
    fake.faults.next([{ status, page: "<html>" }], { path: "/oauth2/" });
    const client = clientInLane(app, consented(fake));
    const held = await assertRejects(() => client.lead(lead), LaneHeldError);
    assert(held.caused, `${status}`);
    await app.rows`delete from lanes`;
  }
});

Deno.test("In shadow a token is refreshed: without one nothing could be read", async () => {
  await using world = await withLead();
  const { fake, app, lead } = world;
  const client = clientOf(app, consented(fake), { shadow: true });
  assertEquals((await client.lead(lead))?.id, lead);
});

function startReader(app: TestApp, settings: AmocrmSettings, lead: string) {
  const world = { database: app.config.DATABASE_URL, settings, lead };
  const entry = new URL("entry.ts", import.meta.url).pathname;
  return startProcess({
    name: "reader",
    args: ["run", "--no-prompt", "--allow-net", "--allow-env", entry],
    env: { WORLD: JSON.stringify(world) },
  });
}
