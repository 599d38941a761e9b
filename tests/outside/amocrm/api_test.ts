import { assert, assertEquals, assertRejects } from "@std/assert";
import type { Failure } from "../../../demo/fake_amocrm/faults.ts";
import {
  describeError,
  LaneHeldError,
  OutcomeUnknownError,
  TemporaryError,
} from "../../../lib/base/errors.ts";
import { listLanes } from "../../../lib/db/lanes_view.ts";
import { type TestApp, testApp, warmUp } from "../../support/app.ts";
import {
  type AmocrmSettings,
  clientInLane,
  clientOf,
  consented,
  longLived,
  startWorld,
} from "./support.ts";

const page = "<html>Forbidden</html>";
const failing = async (app: TestApp) =>
  (await listLanes(app.db, "failing")).map(({ name, reason }) => [name, reason]);
const endPauses = (app: TestApp) =>
  app.rows`update lanes set paused_until = now() where since is not null`;

async function withLead(options = {}) {
  const world = await startWorld(options);
  return { ...world, lead: `${world.fake.crm.createLead({}).id}` };
}

Deno.test("Calls of several processes together stay within 7 in any second, as the account measures it (F133)", async () => {
  await using world = await withLead({ perSecond: 7 });
  const { fake, app, lead } = world;
  await using second = testApp({ url: app.config.DATABASE_URL });
  await using third = testApp({ url: app.config.DATABASE_URL });
  const apps = [app, second, third];
  await Promise.all(apps.map((app) => warmUp(app, 4)));
  const settings = longLived(fake);
  const startMs = performance.now();
  // Nine at a time: of more the last would not wait for so long in the lane, but give its job back.
  const work = async (app: TestApp) => {
    const client = clientInLane(app, settings);
    for (let count = 0; count < 5; count++) assert(await client.lead(lead));
  };
  await Promise.all(apps.flatMap((app) => [1, 2, 3].map(() => work(app))));
  const seconds = (performance.now() - startMs) / 1000;
  assertEquals(fake.counts().calls, 45);
  assertEquals(fake.counts().byStatus, { 200: 45 });
  assert(fake.counts().highestRate <= 7, `${fake.counts().highestRate} in a second`);
  assert(seconds >= 44 / 5, `${seconds} s`);
});

Deno.test("Each page of a list takes a turn of its own", async () => {
  await using world = await withLead();
  const { fake, app, lead } = world;
  for (let count = 0; count < 501; count++) {
    const params = { text: "x" };
    fake.crm.addNote({ entity_id: Number(lead), note_type: "common", params });
  }
  const turns: unknown[] = [];
  const lanes = {
    through: <T>(lane: string, call: () => Promise<T>, options?: { perSecond?: number }) => {
      turns.push([lane, options?.perSecond]);
      return call();
    },
  };
  await Array.fromAsync(clientOf(app, longLived(fake), { lanes }).notes(lead));
  assertEquals(turns, [["amocrm", 5], ["amocrm", 5], ["amocrm", 5]]);
});

Deno.test("What concerns the account pauses the lane for every process, once, and the next call that is answered opens it (F110)", async () => {
  await using world = await withLead();
  const { fake, app, lead } = world;
  await using other = testApp({ url: app.config.DATABASE_URL });
  const failures: Failure[] = [
    { status: 401 },
    { status: 402 },
    { status: 403, page },
    { status: 403, json: { title: "Forbidden", code: 113 } },
    { status: 429 },
    { status: 503, page, headers: { "retry-after": "30" } },
  ];
  for (const failure of failures) {
    fake.faults.next([failure]);
    const held = await assertRejects(
      () => clientInLane(app, longLived(fake)).lead(lead),
      LaneHeldError,
    );
    assert(held.caused, held.message);
    const before = fake.counts().calls;
    const met = await assertRejects(
      () => clientInLane(other, longLived(fake)).lead(lead),
      LaneHeldError,
    );
    assertEquals([met.caused, fake.counts().calls], [false, before]);
    await endPauses(app);
    assert(await clientInLane(other, longLived(fake)).lead(lead));
    assertEquals(await failing(app), []);
  }
  const alerts = await app.rows`select topic, pending from alerts order by topic`;
  assertEquals(alerts, [
    { topic: "lane amocrm open", pending: failures.length },
    { topic: "lane amocrm paused", pending: failures.length },
  ]);
});

Deno.test("What concerns one call leaves the lane open", async () => {
  await using world = await withLead();
  const { fake, app, lead } = world;
  const client = clientInLane(app, longLived(fake));
  const rights = { status: 403, json: { title: "Forbidden", detail: "no right" } };
  for (const failure of [rights, { status: 400 }, { status: 504 }, { lost: true } as const]) {
    fake.faults.next([failure]);
    await assertRejects(() => client.lead(lead));
    assertEquals(await failing(app), []);
  }
  fake.faults.next([{ lost: true }]);
  await assertRejects(() => client.lead(lead), TemporaryError);
});

Deno.test("An account whose tokens are all refused pauses the lane after one refresh, however many ask (F110)", async () => {
  await using world = await withLead();
  const { fake, app, lead } = world;
  const settings = consented(fake);
  await clientOf(app, settings).lead(lead);
  fake.faults.always({ status: 401 }, { path: "/api/" });
  const ends = await Promise.allSettled(
    Array.from({ length: 10 }, () => clientInLane(app, settings).lead(lead)),
  );
  assertEquals(ends.map(({ status }) => status), ends.map(() => "rejected"));
  for (const end of ends) {
    assert((end as PromiseRejectedResult).reason instanceof LaneHeldError);
  }
  assertEquals(fake.counts().tokenRefreshes, 2);
  assertEquals((await failing(app)).length, 1);
  fake.faults.clear();
  await endPauses(app);
  assert(await clientInLane(app, settings).lead(lead));
  assertEquals(await failing(app), []);
});

Deno.test("A note that met an expired token is added once", async () => {
  await using world = await withLead();
  const { fake, app, lead } = world;
  const settings = consented(fake);
  await clientOf(app, settings).lead(lead);
  fake.tokens.expireAccess();
  await clientInLane(app, settings).addNote(lead, "x");
  assertEquals([fake.counts().created.notes, fake.counts().tokenRefreshes], [1, 2]);
});

Deno.test("A page of 250 large deals is read whole", async () => {
  await using world = await startWorld();
  const { fake, app } = world;
  const field = { field_id: 1, field_name: "Описание", field_code: null, field_type: "textarea" };
  const values = [{ value: "я".repeat(4000) }];
  const custom_fields_values = [{ ...field, values }];
  for (let count = 0; count < 250; count++) fake.crm.createLead({ custom_fields_values });
  const span = { from: new Date(0), to: new Date(Date.now() + 60_000) };
  const leads = await Array.fromAsync(clientOf(app, longLived(fake)).leadsUpdated(span));
  assertEquals(leads.length, 250);
});

Deno.test("No error, no line of log and no row but that of the tokens holds a token, a code or the secret", async () => {
  await using world = await withLead();
  const { fake, app, lead } = world;
  const said: string[] = [];
  const secrets = new Set<string>();
  const note = (settings: AmocrmSettings) => {
    const { AMOCRM_ACCESS_TOKEN, AMOCRM_AUTH_CODE, AMOCRM_REFRESH_TOKEN, AMOCRM_CLIENT_SECRET } =
      settings;
    [AMOCRM_ACCESS_TOKEN, AMOCRM_AUTH_CODE, AMOCRM_REFRESH_TOKEN, AMOCRM_CLIENT_SECRET]
      .forEach((secret) => secret && secrets.add(secret));
    return settings;
  };
  const attempt = async (settings: AmocrmSettings) => {
    await app.rows`delete from lanes`;
    await app.rows`update amocrm_tokens set lease = null, leased_until = null`;
    const error = await assertRejects(() => clientInLane(app, note(settings)).lead(lead));
    said.push(describeError(error), `${(error as Error).stack}`, Deno.inspect(error));
    said.push(JSON.stringify(await app.rows`select * from lanes`));
  };
  const echoing = (secret: string): Failure[] => [
    { status: 400, json: { title: secret, detail: `at ${secret}`, hint: secret } },
    { status: 401, json: { detail: secret } },
    { status: 500, json: { title: secret } },
    { status: 200, page: `<p>${secret}</p>` },
    { status: 200, json: { id: secret, access_token: 7 } },
    { lost: true },
  ];
  const token = fake.tokens.issue();
  for (const failure of echoing(token)) {
    fake.faults.next([failure]);
    await attempt(longLived(fake, token));
  }
  for (const began of ["AMOCRM_REFRESH_TOKEN", "AMOCRM_AUTH_CODE"] as const) {
    const secret = began === "AMOCRM_AUTH_CODE"
      ? fake.tokens.consent()
      : fake.tokens.issuePair().refresh;
    for (const failure of [...echoing(secret), ...echoing(fake.client.secret)]) {
      fake.faults.next([failure], { path: "/oauth2/" });
      await attempt(consented(fake, { [began]: secret }));
    }
  }
  const settings = note(consented(fake));
  await clientInLane(app, settings).lead(lead).catch(() => {});
  await app.rows`delete from lanes`;
  await clientInLane(app, settings).lead(lead);
  const [pair] = await app
    .rows`select access_token, refresh_token from amocrm_tokens where pair > 0`;
  secrets.add(pair!.access_token).add(pair!.refresh_token);
  fake.faults.always({ status: 401, json: { detail: pair!.access_token } }, { path: "/api/" });
  await attempt(settings);
  said.push(JSON.stringify(await app.rows`select * from alerts`));
  said.push(JSON.stringify(app.lines), Deno.inspect(app.lines, { depth: 10 }));
  const shown = said.join("\n");
  assertEquals([...secrets].filter((secret) => shown.includes(secret)), []);
  assert(secrets.size > 5 && said.length > 40);
});

Deno.test("Whether a note was added is not known when its answer was lost, and the lane stays open", async () => {
  await using world = await withLead();
  const { fake, app, lead } = world;
  fake.faults.next([{ lost: true }], { method: "POST" });
  await assertRejects(
    () => clientInLane(app, longLived(fake)).addNote(lead, "x"),
    OutcomeUnknownError,
  );
  assertEquals(await failing(app), []);
});
