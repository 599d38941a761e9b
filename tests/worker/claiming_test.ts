import { assert, assertEquals, assertLess } from "@std/assert";
import { enqueue, insertJobs, jobRow } from "../../lib/db/jobs.ts";
import { countJobs } from "../../lib/db/health.ts";
import { startWorker } from "../../lib/worker/worker.ts";
import { freshApp, type TestApp } from "../support/app.ts";
import { handlerOf, jobOf } from "../support/jobs.ts";
import { until } from "../support/until.ts";

Deno.test("a worker never runs more jobs at once than it has slots, and runs them all", async () => {
  let running = 0;
  let most = 0;
  const work = handlerOf(async () => {
    most = Math.max(most, ++running);
    await new Promise((end) => setTimeout(end, 5));
    running--;
  });
  await using app = await freshApp({ handlers: [work], env: { WORKER_CONCURRENCY: "3" } });
  await insertJobs(app.db, Array.from({ length: 40 }, () => jobRow({ kind: "work" })));
  const worker = startWorker(app, "test");
  await until("all are done", () => allDone(app, 40));
  assertEquals(most, 3);
  await worker.stop();
});

Deno.test("a notification wakes a worker long before its poll", async () => {
  const work = handlerOf(() => Promise.resolve());
  await using app = await freshApp({ handlers: [work] });
  const worker = startWorker(app, "test");
  await until("it listens", () =>
    app.rows`
    select from pg_stat_activity where query ilike 'listen%' and datname = current_database()`
      .then((rows) => rows.length > 0));
  const startMs = performance.now();
  for (let n = 0; n < 10; n++) {
    const id = await enqueue(app.db, { kind: "work" });
    await until("the job is done", async () => (await jobOf(app.db, id)).status === "done");
  }
  const tookMs = performance.now() - startMs;
  assert(tookMs < 4000, `ten jobs took ${tookMs} ms: by polling alone they take 5000 or more`);
  await worker.stop();
});

Deno.test("polling alone suffices: a job that nobody was told of is done (rule 20)", async () => {
  const work = handlerOf(() => Promise.resolve());
  await using app = await freshApp({ handlers: [work], env: { DB_POOLER: "true" } });
  const worker = startWorker(app, "test");
  await until("the first claim found nothing", () => claimed(app));
  await app.db.sql`insert into jobs (kind) values ('work')`;
  await until("the job is done", () => allDone(app, 1));
  await worker.stop();
});

Deno.test("with WORKER_KINDS a worker takes these kinds only, also from the quarantine, and its schedules still fall due", async () => {
  const [light, heavy] = ["light", "heavy"].map((kind) =>
    handlerOf(() => Promise.resolve({ result: kind }), { kind })
  );
  await using app = await freshApp({
    handlers: [light!, heavy!],
    schedules: [{ name: "nightly", kind: "heavy", everyMinutes: 1 }],
    env: { WORKER_KINDS: "light" },
  });
  await app.rows`insert into schedules (name, last_slot) values ('nightly', '2000-01-01T00:00Z')`;
  await app.rows`insert into jobs (kind, priority, lost) values ('heavy', 0, 0), ('heavy', 0, 1)`;
  const worker = startWorker(app, "test");
  await until(
    "the slot's job is made",
    async () => (await app.rows`select from jobs where key like 'schedule:nightly:%'`).length === 1,
  );
  await enqueue(app.db, { kind: "light" });
  await until("the light job is done", () => allDone(app, 1));
  await worker.stop();
  assertEquals(
    await app.rows`select kind, status, claims from jobs group by 1, 2, 3 order by 1`,
    [{ kind: "heavy", status: "pending", claims: 0 }, { kind: "light", status: "done", claims: 1 }],
  );
  const working = app.lines.find(({ message }) => message === "working");
  assertEquals(working?.properties.kinds, "light");
});

Deno.test("kinds that a worker does not know wait for another, and hold up nothing", async () => {
  const work = handlerOf(() => Promise.resolve());
  await using app = await freshApp({ handlers: [work] });
  const other = await enqueue(app.db, { kind: "of a newer version", priority: 0 });
  await enqueue(app.db, { kind: "work" });
  const worker = startWorker(app, "test");
  await until("what it knows is done", () => allDone(app, 1));
  await worker.stop();
  assertEquals((await jobOf(app.db, other)).claims, 0);
});

Deno.test("five thousand slow jobs of one kind do not keep one job of another waiting for them (F085)", async () => {
  const begun = { slow: 0, quick: 0 };
  const slow = handlerOf(async () => {
    begun.slow++;
    await new Promise((end) => setTimeout(end, 20));
  }, { kind: "slow" });
  const quick = handlerOf(() => Promise.resolve(void begun.quick++), { kind: "quick" });
  await using app = await freshApp({ handlers: [slow, quick], env: { WORKER_CONCURRENCY: "5" } });
  await insertJobs(app.db, Array.from({ length: 5000 }, () => jobRow({ kind: "slow" })));
  const worker = startWorker(app, "test");
  await until("all slots are busy", () => begun.slow >= 5);
  await enqueue(app.db, { kind: "quick" });
  const before = begun.slow;
  await until("the other kind has its turn", () => begun.quick === 1);
  await worker.stop();
  // Each free slot goes to either kind by chance: that one of two misses a hundred turns in a row does not happen.
  assertLess(begun.slow - before, 100);
});

Deno.test("a job that was lost runs alone: it waits for those that run, and none begins beside it (rule 7)", async () => {
  const events: string[] = [];
  const gates: Record<string, PromiseWithResolvers<void>> = {
    early: Promise.withResolvers(),
    lost: Promise.withResolvers(),
    late: Promise.withResolvers(),
  };
  const work = handlerOf(async ({ name }) => {
    events.push(`${name} begins`);
    await gates[name as string]!.promise;
    events.push(`${name} ends`);
  });
  await using app = await freshApp({ handlers: [work] });
  const worker = startWorker(app, "test");
  await enqueue(app.db, { kind: "work", payload: { name: "early" } });
  await until("the first runs", () => events.length === 1);
  await app.db.sql`insert into jobs (kind, lost, payload) values ('work', 1, '{"name":"lost"}')`;
  await until(
    "the lost one is claimed",
    async () => (await jobOf(app.db, "2")).status === "running",
  );
  await enqueue(app.db, { kind: "work", payload: { name: "late" } });
  gates.early!.resolve();
  await until("the lost one runs", () => events.includes("lost begins"));
  gates.late!.resolve();
  await app.rows`select pg_sleep(0.1)`;
  gates.lost!.resolve();
  await until("all are done", () => allDone(app, 3));
  assertEquals(events, [
    "early begins",
    "early ends",
    "lost begins",
    "lost ends",
    "late begins",
    "late ends",
  ]);
  await worker.stop();
});

Deno.test("a job given up alerts a human at once, without waiting for the next tick", async () => {
  const work = handlerOf(() => Promise.reject(new Error("boom s3cret")));
  await using app = await freshApp({ handlers: [work] });
  const worker = startWorker(app, "test");
  await enqueue(app.db, { kind: "work", maxAttempts: 1 });
  await until("the alert is sent", () => app.told.length === 1);
  assert(/work failed: exhausted[^]*boom \*\*\*[^]*hookwork job 1/.test(app.told[0]!), app.told[0]);
  await worker.stop();
});

Deno.test("a slot is used again while the ending before it still waits, and each job is run once", async () => {
  let runs = 0;
  const work = handlerOf(() => Promise.resolve(void runs++));
  await using app = await freshApp({ handlers: [work], env: { WORKER_CONCURRENCY: "1" } });
  const release = await refuseEndings(app);
  await insertJobs(app.db, [jobRow({ kind: "work" }), jobRow({ kind: "work" })]);
  const worker = startWorker(app, "test");
  await until("both have run", () => runs === 2);
  assertEquals((await countJobs(app.db)).get("running"), 2);
  await release();
  await until("both are done", () => allDone(app, 2));
  await worker.stop();
  assertEquals(runs, 2);
});

Deno.test("a worker whose endings the database does not take stops claiming, or it would hold all jobs there are", async () => {
  let runs = 0;
  const work = handlerOf(() => Promise.resolve(void runs++));
  await using app = await freshApp({ handlers: [work], env: { WORKER_CONCURRENCY: "2" } });
  const release = await refuseEndings(app);
  await insertJobs(app.db, Array.from({ length: 20 }, () => jobRow({ kind: "work" })));
  const worker = startWorker(app, "test");
  const refusals = () => app.lines.filter(({ message }) => message.includes("cannot settle"));
  await until("its patience is tried", () => refusals().length >= 6);
  assertEquals([runs, (await countJobs(app.db)).get("running")], [6, 6]);
  await release();
  await until("all are done", () => allDone(app, 20));
  await worker.stop();
  assertEquals(runs, 20);
});

Deno.test("a shutdown waits for endings that are still on their way, and loses none", async () => {
  let runs = 0;
  const work = handlerOf(() => Promise.resolve(void runs++));
  await using app = await freshApp({ handlers: [work], env: { WORKER_CONCURRENCY: "1" } });
  const release = await refuseEndings(app);
  await insertJobs(app.db, [jobRow({ kind: "work" }), jobRow({ kind: "work" })]);
  const worker = startWorker(app, "test");
  await until("both have run", () => runs === 2);
  const stopped = worker.stop();
  await release();
  await stopped;
  assertEquals([runs, await allDone(app, 2)], [2, true]);
});

/** Has Postgres refuse every ending, through no fault of the data, until the returned function is called. */
async function refuseEndings(app: TestApp): Promise<() => Promise<unknown>> {
  await app.db.sql.unsafe(`
    create function refuse() returns trigger language plpgsql as
      $$ begin raise exception 'not now' using errcode = '55000'; end $$;
    create trigger refuse before update on jobs for each row when (new.status = 'done') execute function refuse()`);
  return () => app.db.sql.unsafe("drop trigger refuse on jobs");
}

async function allDone(app: TestApp, count: number): Promise<boolean> {
  return (await countJobs(app.db)).get("done") === count;
}

async function claimed(app: TestApp): Promise<boolean> {
  const rows = await app.rows`
    select from pg_stat_activity where query like '%with known%' and datname = current_database()`;
  return rows.length > 0;
}
