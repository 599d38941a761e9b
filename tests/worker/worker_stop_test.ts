import { assert, assertEquals } from "@std/assert";
import { enqueue } from "../../lib/db/jobs.ts";
import { startWorker } from "../../lib/worker/worker.ts";
import { freshApp, testApp } from "../support/app.ts";
import { testDatabase } from "../support/database.ts";
import { handlerOf, jobOf, type RunContext } from "../support/jobs.ts";
import { startProxy } from "../support/proxy.ts";
import { until } from "../support/until.ts";

Deno.test("stop() waits for the jobs that run, and begins no others (rule 9)", async () => {
  const gate = Promise.withResolvers<void>();
  let begun = 0;
  const work = handlerOf(async () => {
    begun++;
    await gate.promise;
  });
  await using app = await freshApp({ handlers: [work] });
  const worker = startWorker(app, "test");
  const running = await enqueue(app.db, { kind: "work" });
  await until("it runs", () => begun === 1);
  let over = false;
  const stopped = worker.stop().then(() => over = true);
  const waiting = await enqueue(app.db, { kind: "work" });
  await app.rows`select pg_sleep(0.2)`;
  assertEquals(over, false);
  gate.resolve();
  await stopped;
  assertEquals((await jobOf(app.db, running)).status, "done");
  assertEquals((await jobOf(app.db, waiting)).claims, 0);
});

Deno.test("five deploys in a row cost a long job no attempt", async () => {
  let begun = 0;
  const work = handlerOf((_, { signal }) => {
    begun++;
    return new Promise((_, reject) =>
      signal.addEventListener("abort", () => reject(signal.reason))
    );
  });
  await using app = await freshApp({ handlers: [work] });
  const id = await enqueue(app.db, { kind: "work", maxAttempts: 3 });
  for (let deploy = 1; deploy <= 5; deploy++) {
    const worker = startWorker(app, "test", { graceMs: 0 });
    await until("it runs", () => begun === deploy);
    await worker.stop();
  }
  const job = await jobOf(app.db, id);
  assertEquals([job.status, job.attempts, job.claims, job.lost, job.lockedBy], [
    "pending",
    0,
    5,
    0,
    null,
  ]);
});

Deno.test("a handler that ignores its signal holds up no stop, and its row is free at once", async () => {
  const gate = Promise.withResolvers<void>();
  let context: RunContext | undefined;
  const work = handlerOf(async (_, given) => {
    context = given;
    await gate.promise;
  });
  await using app = await freshApp({ handlers: [work] });
  const id = await enqueue(app.db, { kind: "work" });
  const worker = startWorker(app, "test", { graceMs: 0 });
  await until("it runs", () => context);
  await worker.stop();
  const job = await jobOf(app.db, id);
  assertEquals([job.status, job.attempts, job.lockedBy], ["pending", 0, null]);
  gate.resolve();
});

Deno.test("a second stop() does not wait for the grace, and still releases the jobs", async () => {
  let begun = 0;
  const work = handlerOf((_, { signal }) => {
    begun++;
    return new Promise((end) => signal.addEventListener("abort", () => end()));
  });
  await using app = await freshApp({ handlers: [work] });
  const id = await enqueue(app.db, { kind: "work" });
  const worker = startWorker(app, "test", { graceMs: 3_600_000 });
  await until("it runs", () => begun === 1);
  const first = worker.stop();
  await Promise.all([first, worker.stop()]);
  const job = await jobOf(app.db, id);
  assertEquals([job.status, job.attempts], ["pending", 0]);
});

Deno.test("a database that is stuck holds up a stop by seconds only, and the lease brings the job back", async () => {
  await using database = await testDatabase();
  await using proxy = startProxy(database.url);
  let begun = 0;
  const work = handlerOf((_, { signal }) => {
    begun++;
    return new Promise((end) => signal.addEventListener("abort", () => end()));
  });
  await using app = testApp({ url: proxy.url, handlers: [work] });
  await enqueue(app.db, { kind: "work" });
  const worker = startWorker(app, "test", { graceMs: 100 });
  await until("it runs", () => begun === 1);
  proxy.freeze();
  const startMs = performance.now();
  await worker.stop();
  const tookMs = performance.now() - startMs;
  assert(tookMs < 7000, `${tookMs} ms`);
  proxy.heal();
});
