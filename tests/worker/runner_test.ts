import { assert, assertEquals } from "@std/assert";
import { sweepLostJobs } from "../../lib/db/claims.ts";
import { enqueue } from "../../lib/db/jobs.ts";
import { createSettler } from "../../lib/flow/settle.ts";
import { createClaims } from "../../lib/worker/claims.ts";
import { createRunner } from "../../lib/worker/runner.ts";
import { startWorker } from "../../lib/worker/worker.ts";
import { freshApp, testApp } from "../support/app.ts";
import { claim, endLeases, handlerOf, jobOf } from "../support/jobs.ts";
import { until } from "../support/until.ts";

Deno.test("a job longer than its lease runs once, beside a second worker that waits for it (rule 8)", async () => {
  let runs = 0;
  const work = handlerOf(async () => {
    runs++;
    await new Promise((end) => setTimeout(end, 2500));
  }, { leaseSeconds: 1 });
  await using app = await freshApp({ handlers: [work] });
  await using other = testApp({ url: app.config.DATABASE_URL, handlers: [work] });
  const workers = [startWorker(app, "a"), startWorker(other, "b")];
  const id = await enqueue(app.db, { kind: "work" });
  await until("the job is done", async () => {
    await sweepLostJobs(app.db, 10);
    return (await jobOf(app.db, id)).status === "done";
  });
  const { claims, lost } = await jobOf(app.db, id);
  assertEquals([runs, claims, lost], [1, 1, 0]);
  await Promise.all(workers.map((worker) => worker.stop()));
});

Deno.test("a run whose job was taken over is aborted, and what it says is dropped", async () => {
  const stopped = Promise.withResolvers<unknown>();
  const work = handlerOf(async (_, { signal }) => {
    await new Promise<void>((end) => signal.addEventListener("abort", () => end()));
    stopped.resolve(signal.reason.why);
    return { result: "mine" };
  }, { leaseSeconds: 1 });
  await using app = await freshApp({ handlers: [work] });
  const worker = startWorker(app, "test");
  const id = await enqueue(app.db, { kind: "work" });
  await until("it runs", async () => (await jobOf(app.db, id)).status === "running");
  await app.db.sql`update jobs set claims = claims + 1, locked_by = 'thief',
    locked_until = now() + interval '1 hour'`;
  assertEquals(await stopped.promise, "lease_lost");
  await worker.stop();
  const job = await jobOf(app.db, id);
  assertEquals([job.status, job.lockedBy, job.result], ["running", "thief", null]);
});

Deno.test("two workers of one name in one process cannot finish each other's claim (rule 6)", async () => {
  const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let runs = 0;
  const work = handlerOf(async () => {
    const run = runs++;
    await gates[run]!.promise;
    return { result: `run ${run}` };
  });
  await using app = await freshApp({ handlers: [work] });
  const first = startWorker(app, "same");
  const id = await enqueue(app.db, { kind: "work" });
  await until("the first runs", () => runs === 1);
  await endLeases(app.db);
  await sweepLostJobs(app.db, 10);
  const second = startWorker(app, "same");
  await until("the second runs", () => runs === 2);
  gates[0]!.resolve();
  await until(
    "the first was told",
    () => app.lines.some(({ message }) => message.includes("ending is dropped")),
  );
  assertEquals((await jobOf(app.db, id)).status, "running");
  gates[1]!.resolve();
  await until("the job is done", async () => (await jobOf(app.db, id)).status === "done");
  assertEquals((await jobOf(app.db, id)).result, "run 1");
  await Promise.all([first.stop(), second.stop()]);
});

Deno.test("handlers that never end free their slots at the deadline, and are not started twice in one process (rule 8)", async () => {
  const gate = Promise.withResolvers<void>();
  const begun: string[] = [];
  const work = handlerOf(async ({ name }) => {
    begun.push(name as string);
    if (name === "hung") await gate.promise;
  }, { timeoutSeconds: 0.1 });
  await using app = await freshApp({ handlers: [work], env: { WORKER_CONCURRENCY: "2" } });
  const hung = [0, 1].map(() =>
    enqueue(app.db, { kind: "work", payload: { name: "hung" }, priority: 0 })
  );
  const [id] = await Promise.all(hung);
  const worker = startWorker(app, "test");
  const settled = () => app.rows`select from jobs where last_error is not null`;
  await until("both deadlines are counted", async () => (await settled()).length === 2);
  await app.db.sql`update jobs set run_at = now()`;
  await enqueue(app.db, { kind: "work", payload: { name: "next" } });
  await until("the slots are free for others", () => begun.includes("next"));
  assertEquals(begun, ["hung", "hung", "next"], "although the hung ones were more urgent");
  assertEquals((await jobOf(app.db, id)).lastError, "No end after 0.1 s");
  gate.resolve();
  await until("they run again, once their first runs have ended", () => begun.length === 5);
  await worker.stop();
});

Deno.test("a job that comes back while this process still runs it is left to others", async () => {
  const gate = Promise.withResolvers<void>();
  const begun: string[] = [];
  const work = handlerOf(async ({ name }) => {
    begun.push(name as string);
    if (name === "slow") await gate.promise;
  });
  await using app = await freshApp({ handlers: [work] });
  const worker = startWorker(app, "test");
  await enqueue(app.db, { kind: "work", payload: { name: "slow" } });
  await until("it runs", () => begun.length === 1);
  await app.db
    .sql`update jobs set status = 'pending', locked_until = null, locked_by = null, run_at = now()`;
  await enqueue(app.db, { kind: "work", payload: { name: "next" } });
  await until("the next runs", () => begun.length === 2);
  assertEquals(begun, ["slow", "next"]);
  gate.resolve();
  await worker.stop();
});

Deno.test("jobs that lost a worker run one after the other and beside nothing, also when several are handed in at once (rule 7)", async () => {
  const gate = Promise.withResolvers<void>();
  const log: string[] = [];
  let running = 0;
  const work = handlerOf(async ({ name }) => {
    log.push(`${name} beside ${running++}`);
    await (name === "plain" ? gate.promise : Promise.resolve());
    running--;
  });
  await using app = await freshApp({ handlers: [work] });
  for (const name of ["first", "second", "third", "plain"]) {
    await enqueue(app.db, { kind: "work", payload: { name } });
  }
  const claims = createClaims(app);
  const settler = createSettler(app, new AbortController().signal);
  const runner = createRunner(app, { claims, settler, onGivenUp() {}, onAloneEnded() {} });
  for (const job of await claim(app.db, { limit: 4 })) {
    const lost = job.payload.includes("plain") ? 0 : 1;
    runner.start(claims.add({ ...job, lost }, 60, performance.now()));
  }
  await until("the plain one runs", () => log.length === 1);
  assertEquals(runner.alone, true);
  gate.resolve();
  await runner.aloneEnded();
  assertEquals([runner.alone, running], [false, 0]);
  assertEquals(log, ["plain", "first", "second", "third"].map((name) => `${name} beside 0`));
  await claims.atMost(0);
  const waiting = app.lines.filter(({ message }) =>
    message.includes("waits until it can run alone")
  );
  assert(waiting.length > 0, "nobody is told why slots stay empty");
});
