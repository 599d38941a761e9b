import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { type Amocrm, startAmocrm } from "../../../demo/fake_amocrm/server.ts";
import { amocrmEvents } from "../../../lib/base/amocrm_tasks.ts";
import { CONTRACT, PIPELINE, start } from "../../demo/fake_amocrm/support.ts";
import { freshApp, type TestApp } from "../../support/app.ts";
import { until } from "../../support/until.ts";
import { cli, environment } from "../support.ts";

const SECRET = "cli-world-0123456789-0123456789-0";
const BASE = "https://hook.example/hooks/amocrm";
const HERE = `${BASE}/${SECRET}`;

function settingsFor(app: TestApp, fake: Amocrm, rights = { isAdmin: true }) {
  return {
    ...environment(app.config.DATABASE_URL),
    AMOCRM_ACCOUNT: fake.account.subdomain,
    AMOCRM_WEBHOOK_SECRET: SECRET,
    AMOCRM_CONTRACT_PIPELINE_ID: `${PIPELINE}`,
    AMOCRM_CONTRACT_STAGE_ID: `${CONTRACT}`,
    AMOCRM_URL: fake.url.origin,
    AMOCRM_ACCESS_TOKEN: fake.tokens.issue(rights),
    CONTRACT_SELLER_NAME: "ООО «Пример»",
  };
}

async function startCli(
  options: Parameters<typeof startAmocrm>[0] = {},
  rights?: { isAdmin: boolean },
) {
  await using stack = new AsyncDisposableStack();
  const fake = stack.use(await start(options));
  const app = stack.use(await freshApp());
  const env = settingsFor(app, fake, rights);
  const held = stack.move();
  return {
    fake,
    app,
    run: (args: string[], host = {}) =>
      cli(env, ["amocrm", ...args], { now: () => new Date(), ...host }),
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  };
}

Deno.test("amocrm reconcile prints what the webhooks missed, closes the gap, and finds nothing when run again", async () => {
  await using world = await startCli();
  const { fake, app, run } = world;
  const { id } = fake.crm.createLead({ pipeline_id: PIPELINE, status_id: CONTRACT });
  await app.rows`
    insert into gaps (source, began_at, ended_at, reason)
    values ('amocrm', now() - interval '30 minutes', now() - interval '20 minutes', 'down'),
      ('amocrm', now() - interval '15 minutes', now() - interval '1 minute', 'has not settled')`;
  const first = await run(["reconcile", "--from", "1h"]);
  assertEquals([first.exitCode, first.errors], [0, ""]);
  assertMatch(first.output, new RegExp(`${id} .* made at the stage +1\n`));
  assertStringIncludes(first.output, "the webhooks missed 1 deal(s).\n1 gap(s) closed.");
  const second = await run(["reconcile", "--from", "1h"]);
  assertStringIncludes(second.output, "the webhooks missed 0 deal(s).");
  assertEquals((await app.rows`select from jobs`).length, 1);
});

Deno.test("amocrm reconcile can be stopped: what was found stays made, no gap is closed, and it says how to begin anew", async () => {
  await using world = await startCli();
  const { fake, app, run } = world;
  for (const _ of [1, 2]) fake.crm.createLead({ pipeline_id: PIPELINE, status_id: CONTRACT });
  await app.rows`
    insert into gaps (source, began_at, ended_at, reason)
    values ('amocrm', now() - interval '30 minutes', now() - interval '20 minutes', 'down')`;
  const { exitCode, output } = await run(["reconcile", "--from", "1h"], {
    interruptible: <T>(work: (signal: AbortSignal) => Promise<T>) => work(AbortSignal.abort()),
  });
  assertEquals(exitCode, 1);
  assertMatch(
    output,
    /missed 1 deal\(s\)\.\nInterrupted\. Begin anew with: {2}hookwork amocrm reconcile --from 20/,
  );
  assertEquals((await app.rows`select from gaps where closed_at is not null`).length, 0);
  const again = await run(["reconcile", "--from", "1h"]);
  assertStringIncludes(again.output, "missed 1 deal(s).");
  assertEquals((await app.rows`select from jobs`).length, 2);
});

Deno.test("amocrm subscribe sets the webhook right and ends the gap, also where it was switched off; no secret is shown", async () => {
  await using world = await startCli();
  const { fake, app, run } = world;
  fake.hooks.subscribe("https://old.example/amo.php", ["status_lead"]);
  const before = await run(["webhooks"]);
  assertEquals(before.exitCode, 1);
  assertStringIncludes(before.output, "Not well: no webhook of amoCRM points here.");
  assertStringIncludes(before.output, "https://old.example/amo.php");
  fake.hooks.subscribe(HERE, ["status_lead", "note_lead"]);
  await fake.hooks.idle();
  const narrow = await run(["webhooks"]);
  assertStringIncludes(narrow.output, "add_lead, update_lead");
  assertStringIncludes(narrow.output, "note_lead");
  const { exitCode, output, errors } = await run(["subscribe", BASE]);
  assertEquals([exitCode, errors], [0, ""]);
  assertStringIncludes(output, `${BASE}/***`);
  assertEquals([before, narrow, { output }].some(({ output }) => output.includes(SECRET)), false);
  assertEquals(fake.hooks.subscriptions.get(HERE)?.settings, amocrmEvents);
  assertEquals(fake.hooks.subscriptions.size, 2);
  assertEquals((await run(["webhooks"])).exitCode, 0);
  assertEquals(await app.rows`select ended_at is null as lasts from gaps`, [{ lasts: false }]);
});

Deno.test("amocrm subscribe makes a new subscription where amoCRM does not enable the old one", async () => {
  await using world = await startCli({ timeScale: 1e-3 });
  const { fake, run } = world;
  const destination = `http://127.0.0.1:1/hooks/amocrm/${SECRET}`;
  fake.hooks.subscribe(destination, amocrmEvents);
  for (let count = 0; count < 120; count++) fake.crm.createLead({});
  await until(
    "the webhook is switched off",
    () => fake.hooks.subscriptions.get(destination)!.disabled,
    { within: 20 },
  );
  const { exitCode, output } = await run(["subscribe", "http://127.0.0.1:1/hooks/amocrm"]);
  assertEquals(exitCode, 0, output);
  assertEquals(fake.hooks.subscriptions.get(destination)!.disabled, false);
});

Deno.test("amocrm unsubscribe ends an old webhook without a gap, and ours with one", async () => {
  await using world = await startCli();
  const { fake, app, run } = world;
  fake.hooks.subscribe("https://old.example/amo.php", ["status_lead"]);
  const ours = fake.hooks.subscribe(HERE, amocrmEvents);
  assertEquals((await run(["unsubscribe", "https://old.example/amo.php"])).exitCode, 0);
  assertEquals([...fake.hooks.subscriptions.keys()], [HERE]);
  assertEquals((await app.rows`select from gaps`).length, 0);
  assertEquals((await run(["unsubscribe", `${ours.id}`])).exitCode, 0);
  assertEquals(fake.hooks.subscriptions.size, 0);
  assertEquals(await app.rows`select ended_at is null as lasts from gaps`, [{ lasts: true }]);
  const unknown = await run(["unsubscribe", "https://old.example/amo.php"]);
  assertEquals(unknown.exitCode, 1);
  assertStringIncludes(unknown.errors, "no webhook has it");
});

Deno.test("amocrm commands say what they lack: an administrator's token, an account, an address without a secret", async () => {
  await using world = await startCli({}, { isAdmin: false });
  const { app, run } = world;
  const refused = await run(["webhooks"]);
  assertEquals(refused.exitCode, 1);
  assertStringIncludes(refused.errors, "let an administrator");
  assertEquals((await run(["subscribe", HERE])).exitCode, 2);
  const core = Object.entries(environment(app.config.DATABASE_URL))
    .filter(([name]) => !/^(AMOCRM|CONTRACT)_/.test(name));
  const without = await cli(Object.fromEntries(core), ["amocrm", "webhooks"]);
  assertStringIncludes(without.errors, "AMOCRM_ACCOUNT is not set");
});
