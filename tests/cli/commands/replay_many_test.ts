import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import type { Host } from "../../../lib/cli/host.ts";
import { renderPlan } from "../../../lib/cli/commands/replay_plan.ts";
import { insertDeliveries } from "../../../lib/db/events.ts";
import { freshApp, type TestApp } from "../../support/app.ts";
import { deliveryRow } from "../../support/jobs.ts";
import { cli } from "../support.ts";

/** One event of the real source `site` for each body, received an hour before the noon of the tests. */
async function appWith(...bodies: string[]): Promise<TestApp> {
  const app = await freshApp();
  await insertDeliveries(
    app.db,
    bodies.map((body) => deliveryRow({ body: new TextEncoder().encode(body) })),
  );
  await app.rows`update events set received_at = '2026-03-01 11:00Z'`;
  return app;
}

const REPLAY = ["replay", "--source", "site", "--from", "2h", "--rate", "1000"];
const run = (app: TestApp, args: string[], host?: Partial<Host>) =>
  cli(app.config.DATABASE_URL, args, host);
const count = async (app: TestApp) => (await app.rows`select from jobs`).length;

Deno.test("replay of many makes the jobs of all events of a span, and says how many", async () => {
  await using app = await appWith('{"n":1}', '{"n":2}', '{"n":3}');
  await app.rows`update events set received_at = '2026-03-01 09:00Z' where id = 1`;
  const { exitCode, output } = await run(app, [...REPLAY, "--yes"]);
  assertEquals({ exitCode, output }, {
    exitCode: 0,
    output: "2 event(s) replayed: 2 job(s) made.\n",
  });
  assertEquals(await app.rows`select event_id from jobs order by id`, [
    { event_id: "2" },
    { event_id: "3" },
  ]);
});

Deno.test("replay of many tells what it skipped and why, does the rest, and does not pass for a whole success", async () => {
  await using app = await appWith('{"n":1}', "no JSON", '{"n":3}', '{"n":4}');
  await app.rows`update events set body = null where id = 3`;
  const { exitCode, output } = await run(app, [...REPLAY, "--yes"]);
  assertEquals(exitCode, 1);
  assertStringIncludes(output, "4 event(s) replayed: 2 job(s) made.");
  assertMatch(output, /Skipped: Cannot replay event 2: it cannot be routed/);
  assertMatch(output, /Skipped: Cannot replay event 3: .*retention/);
});

Deno.test("replay of many asks with the count, and without a terminal and --yes it is an error of usage", async () => {
  await using app = await appWith('{"n":1}', '{"n":2}');
  const unasked = await run(app, REPLAY);
  assertEquals([unasked.exitCode, unasked.output], [2, ""]);
  assertMatch(unasked.errors, /2 event\(s\) of site[^]*--yes/);
  assertEquals((await run(app, REPLAY, { confirm: () => false })).exitCode, 1);
  assertEquals(await count(app), 0);
  assertEquals((await run(app, REPLAY, { confirm: () => true })).exitCode, 0);
  assertEquals(await count(app), 2);
});

Deno.test("replay of many that was interrupted says how to go on, and going on does each event once", async () => {
  await using app = await appWith('{"n":1}', '{"n":2}', '{"n":3}');
  const controller = new AbortController();
  const interruptible: Host["interruptible"] = async (work) => {
    const done = work(controller.signal);
    while (await count(app) === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    controller.abort();
    return await done;
  };
  const slow = [...REPLAY.slice(0, -1), "0.01", "--yes", "--json"];
  const first = await run(app, slow, { interruptible });
  assertEquals([first.exitCode, await count(app)], [1, 1]);
  const { events, next } = JSON.parse(first.output);
  assertEquals(events, 1);
  assertEquals(
    next,
    "hookwork replay --source site --from 2026-03-01T10:00:00.000Z " +
      "--to 2026-03-01T12:00:00.000Z --after 1 --rate 0.01",
  );
  const words = [...next.split(" ").slice(1, -1), "1000", "--yes"];
  const second = await run(app, words, { now: () => new Date("2026-03-02T12:00:00Z") });
  assertEquals(second.output, "2 event(s) replayed: 2 job(s) made.\n");
  assertEquals(await app.rows`select event_id from jobs order by id`, [
    { event_id: "1" },
    { event_id: "2" },
    { event_id: "3" },
  ]);
});

Deno.test("replay of many that the database leaves in the middle says where it stopped", async () => {
  await using app = await appWith('{"n":1}', '{"n":2}');
  await app.rows`
    alter table jobs add constraint broken check (event_id is null or event_id <> 2)`;
  const { exitCode, output, errors } = await run(app, [...REPLAY, "--yes", "--again"]);
  assertEquals([exitCode, output], [1, ""]);
  assertMatch(errors, /Stopped at event 2;.*hookwork event 2\n.*--after 1 --again --rate 1000\n/);
});

Deno.test("replay --dry-run prints what would be made and which keys are taken, asks nobody and makes nothing", async () => {
  await using app = await appWith('{"n":1}', "no JSON");
  const { exitCode, output } = await run(app, [...REPLAY, "--dry-run"]);
  assertEquals(exitCode, 0);
  const lines = output.trimEnd().split("\n");
  assertEquals(lines.length, 3);
  assertEquals(lines[0], "Event 1: site.form");
  assert(lines[1]!.startsWith("Would skip: Cannot replay event 2: it cannot be routed"));
  assertEquals(
    lines[2],
    "2 event(s) would be replayed: 1 job(s) made; 0 not made, their keys are taken.",
  );
  assertEquals(await count(app), 0);
});

Deno.test("a plan tells the keys that are taken from those that are free", () => {
  const jobs = [
    { kind: "pay", key: "order 1", taken: false },
    { kind: "pay", key: "order 2", taken: true },
    { kind: "note", key: null, taken: false },
  ];
  assertEquals(renderPlan([{ event: "7", jobs }]).split("\n"), [
    "Event 7: pay, key order 1",
    "Event 7: pay, not made: its key is taken: order 2",
    "Event 7: note",
    "1 event(s) would be replayed: 2 job(s) made; 1 not made, their keys are taken.",
  ]);
});

Deno.test("replay of many names the source that was meant, before it looks for events", async () => {
  await using app = await appWith();
  const { exitCode, errors } = await run(app, ["replay", "--source", "sit", "--from", "2h"]);
  assertEquals(exitCode, 1);
  assertStringIncludes(errors, "did you mean site?");
});

Deno.test("replay takes one id or a choice of many, never both, neither or half of one", async () => {
  const lines = [
    ["replay"],
    ["replay", "--source", "site"],
    ["replay", "--from", "2h"],
    ["replay", "1", "--source", "site"],
    ["replay", "1", "--dry-run"],
    ["replay", "--source", "site", "--from", "2h", "--after", "x"],
    ["replay", "--source", "site", "--from", "tomorrow"],
  ];
  for (const args of lines) {
    const { exitCode, output, errors } = await cli("postgres://127.0.0.1:1/none", args);
    assertEquals([exitCode, output], [2, ""], `${args}: ${errors}`);
  }
  const { errors } = await cli("postgres://127.0.0.1:1/none", ["replay", "1", "--dry-run"]);
  assertStringIncludes(errors, "--dry-run is for many; give it with --source and --from");
});
