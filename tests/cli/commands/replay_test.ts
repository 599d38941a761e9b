import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { RefusedError } from "../../../lib/base/errors.ts";
import { renderReplay, replay, replayExitCode } from "../../../lib/cli/commands/replay.ts";
import type { NewJob, Source } from "../../../lib/contract.ts";
import { insertDeliveries } from "../../../lib/db/events.ts";
import { jobRow } from "../../../lib/db/jobs.ts";
import { freshApp } from "../../support/app.ts";
import { deliveryRow, handlerOf } from "../../support/jobs.ts";
import { cli } from "../support.ts";

const handlers = [handlerOf(() => Promise.resolve())];

function shop(...jobs: NewJob[]): Source {
  return {
    secretHeaders: [],
    verify: () => ({ ok: true, secret: 0 }),
    dedupKey: () => undefined,
    route: () => jobs,
    sample: () => ({ headers: {}, body: "{}" }),
  };
}

/** An app with one stored event of a shop and the jobs that it made. */
async function shopApp(...jobs: NewJob[]) {
  const app = await freshApp({ handlers, sources: { shop: shop(...jobs) } });
  const delivery = deliveryRow({ source: "shop", jobs: jobs.map((job) => jobRow(job)) });
  await insertDeliveries(app.db, [delivery]);
  return app;
}

const PAID = { kind: "work", key: "order-7-paid" };
const NOTE = { kind: "work" };

Deno.test("replay does not double a job with a key, and says which key is taken", async () => {
  await using app = await shopApp(PAID, NOTE);
  const value = await replay(app, "1", {});
  assertEquals(value.jobs.map(({ id, key }) => [id !== null, key]), [
    [false, "order-7-paid"],
    [true, null],
  ]);
  assertEquals(replayExitCode(value), 0);
  assertEquals(await app.rows`select count(*)::int from jobs`, [{ count: 3 }]);
  const text = renderReplay(value);
  assertStringIncludes(text, "Not made: work, its key is taken: order-7-paid");
  assertStringIncludes(text, `Made job ${value.jobs[1]!.id}: work`);
  assertStringIncludes(text, "hookwork replay 1 --again");
});

Deno.test("replay that makes no job at all because of keys does not pass for a success", async () => {
  await using app = await shopApp(PAID);
  assertEquals(replayExitCode(await replay(app, "1", {})), 1);
});

Deno.test("replay --again makes jobs without their keys, once for each time it is asked", async () => {
  await using app = await shopApp(PAID);
  for (let n = 0; n < 2; n++) {
    const value = await replay(app, "1", { again: true });
    assertEquals(value.jobs.map(({ id, key }) => [id !== null, key]), [[true, null]]);
    assertEquals(replayExitCode(value), 0);
  }
  assertEquals(await app.rows`select key, event_id from jobs order by id`, [
    { key: "order-7-paid", event_id: "1" },
    { key: null, event_id: "1" },
    { key: null, event_id: "1" },
  ]);
});

Deno.test("replay of an event that asks for no job is a success that says so", async () => {
  await using app = await shopApp();
  const value = await replay(app, "1", {});
  assertEquals([replayExitCode(value), renderReplay(value)], [0, "Event 1 asks for no job."]);
});

Deno.test("replay refuses an event whose bytes are gone, instead of routing none", async () => {
  await using app = await shopApp(NOTE);
  await app.rows`update events set body = null`;
  await assertRejects(() => replay(app, "1", {}), RefusedError, "retention");
});

Deno.test("replay on the command line routes the stored bytes of a real source again", async () => {
  await using app = await freshApp();
  const body = new TextEncoder().encode('{"id":"17","name":"Ada"}');
  await insertDeliveries(app.db, [deliveryRow({ dedupKey: "17", body })]);
  const { exitCode, output } = await cli(app.config.DATABASE_URL, ["replay", "1"]);
  assertEquals({ exitCode, output }, { exitCode: 0, output: "Made job 1: site.form\n" });
  assertEquals(await app.rows`select payload::text from jobs`, [
    { payload: '{"form":{"id":"17","name":"Ada"}}' },
  ]);
});
