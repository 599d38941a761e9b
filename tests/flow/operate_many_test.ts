import { assert, assertEquals, assertGreaterOrEqual } from "@std/assert";
import { insertDeliveries } from "../../lib/db/events.ts";
import { enqueue, insertJobs, jobRow } from "../../lib/db/jobs.ts";
import { planReplayMany, replayMany, retryMany } from "../../lib/flow/operate_many.ts";
import type { NewJob } from "../../lib/contract.ts";
import { freshApp, type TestApp } from "../support/app.ts";
import { deliveryRow, handlerOf } from "../support/jobs.ts";
import { sourceOf } from "../support/sources.ts";

const handlers = [handlerOf(() => Promise.resolve())];
/** A body's text is the key of its job; `-` is no key, and `!` cannot be routed. */
const keyed = sourceOf({
  route(delivery): NewJob[] {
    const key = delivery.text();
    if (key === "!") throw new Error("no order in s3cret");
    return [{ kind: "work", key: key === "-" ? undefined : key }];
  },
});
const never = new AbortController().signal;

async function appWith(...bodies: string[]): Promise<TestApp> {
  const app = await freshApp({ handlers, sources: { site: keyed } });
  await insertDeliveries(
    app.db,
    bodies.map((body) => deliveryRow({ body: new TextEncoder().encode(body) })),
  );
  return app;
}

Deno.test("retryMany() takes up more jobs than fit into one statement, and spreads all of them at the rate", async () => {
  await using app = await freshApp();
  const rows = Array.from({ length: 1203 }, () => jobRow({ kind: "work" }));
  const ids = (await insertJobs(app.db, rows)).map((id) => id!);
  await app.rows`update jobs set status = 'failed', reason = 'timeout', finished_at = now()`;
  assertEquals(await retryMany(app, ids, { perSecond: 10 }), 1203);
  const perMinute = await app.rows`
    select count(*)::int from jobs
    group by floor(extract(epoch from run_at - (select min(run_at) from jobs)) / 60) order by 1 desc`;
  assert(perMinute.every(({ count }) => count <= 600), Deno.inspect(perMinute));
  assertGreaterOrEqual(perMinute.length, 3);
});

Deno.test("replayMany() goes through events in order, skips with the reason what cannot be routed, and shows no secret", async () => {
  await using app = await appWith("a", "!", "-", "gone", "b");
  await app.rows`update events set body = null where id = 4`;
  await enqueue(app.db, { kind: "work", key: "b" });
  const ids = ["1", "2", "3", "4", "5"];
  const options = { again: false, perSecond: 1000, signal: never };
  const steps = await Array.fromAsync(replayMany(app, ids, options));
  assertEquals(steps.map(({ event }) => event), ids);
  const told = steps.map((step) =>
    "skipped" in step ? step.skipped : step.jobs.map(({ id }) => id !== null)
  );
  assertEquals([told[0], told[2], told[4]], [[true], [true], [false]]);
  assertEquals(told[1], "Cannot replay event 2: it cannot be routed: no order in ***");
  assert(`${told[3]}`.includes("retention"), `${told[3]}`);
  assertEquals(await app.rows`select key, event_id from jobs order by id`, [
    { key: "b", event_id: null },
    { key: "a", event_id: "1" },
    { key: null, event_id: "3" },
  ]);
});

Deno.test("replayMany() keeps the rate, so that a replay does not overwhelm what comes in meanwhile", async () => {
  await using app = await appWith(..."-------------------");
  const ids = Array.from({ length: 19 }, (_, index) => String(index + 1));
  const startMs = performance.now();
  await Array.fromAsync(replayMany(app, ids, { again: false, perSecond: 20, signal: never }));
  assertGreaterOrEqual(performance.now() - startMs, 890);
});

Deno.test("replayMany() that is interrupted has done each event whole or not at all, also while it waits", async () => {
  await using app = await appWith("-", "-", "-");
  const controller = new AbortController();
  const seen: string[] = [];
  const options = { again: false, perSecond: 0.001, signal: controller.signal };
  for await (const { event } of replayMany(app, ["1", "2", "3"], options)) {
    seen.push(event);
    setTimeout(() => controller.abort());
  }
  assertEquals(seen, ["1"]);
  assertEquals(await app.rows`select event_id from jobs`, [{ event_id: "1" }]);
});

Deno.test("planReplayMany() tells which keys are taken, also by an earlier event of the same replay, and makes nothing", async () => {
  await using app = await appWith("a", "a", "b", "!");
  await enqueue(app.db, { kind: "work", key: "b" });
  const plan = await planReplayMany(app, ["1", "2", "3", "4"], { again: false });
  assertEquals(plan, [
    { event: "1", jobs: [{ kind: "work", key: "a", taken: false }] },
    { event: "2", jobs: [{ kind: "work", key: "a", taken: true }] },
    { event: "3", jobs: [{ kind: "work", key: "b", taken: true }] },
    { event: "4", skipped: "Cannot replay event 4: it cannot be routed: no order in ***" },
  ]);
  const again = await planReplayMany(app, ["1", "3"], { again: true });
  const job = { kind: "work", key: null, taken: false };
  assertEquals(again, [{ event: "1", jobs: [job] }, { event: "3", jobs: [job] }]);
  assertEquals(await app.rows`select count(*)::int from jobs`, [{ count: 1 }]);
});
