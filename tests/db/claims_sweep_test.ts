import { assertEquals, assertStringIncludes } from "@std/assert";
import { sweepLostJobs } from "../../lib/db/claims.ts";
import { CHANNEL, enqueue } from "../../lib/db/jobs.ts";
import { freshApp, type TestApp, warmUp } from "../support/app.ts";
import { claim, endLeases, jobOf, plain } from "../support/jobs.ts";
import { until } from "../support/until.ts";

Deno.test("a job stuck in running returns when its lease ends, and not before", async () => {
  await using app = await freshApp();
  const id = await enqueue(app.db, { kind: "work" });
  await claim(app.db, { worker: "host/1" });
  assertEquals(await plain(sweepLostJobs(app.db, 10)), []);
  await endLeases(app.db);
  assertEquals(await plain(sweepLostJobs(app.db, 10)), [
    { id: id!, kind: "work", status: "pending", lost: 1 },
  ]);
  const job = await jobOf(app.db, id);
  assertEquals([job.status, job.lockedBy, job.attempts], ["pending", null, 1]);
  assertStringIncludes(job.lastError!, "host/1");
  assertEquals((await claim(app.db, { quarantined: true })).length, 1);
});

Deno.test("a job that kills its worker is given up the third time, with one alert (rule 7)", async () => {
  await using app = await freshApp();
  const id = await enqueue(app.db, { kind: "work", maxAttempts: 100 });
  await lose(app);
  await lose(app);
  assertEquals((await jobOf(app.db, id)).status, "pending");
  assertEquals(await app.rows`select from alerts`, []);
  await lose(app);
  const job = await jobOf(app.db, id);
  assertEquals([job.status, job.reason, job.lost, job.claims], ["failed", "worker_lost", 3, 3]);
  assertEquals(await app.rows`select topic, pending from alerts`, [
    { topic: "work worker_lost", pending: 1 },
  ]);
});

Deno.test("a job lost in its last attempt is given up, or it would live for ever", async () => {
  await using app = await freshApp();
  const id = await enqueue(app.db, { kind: "work", maxAttempts: 1 });
  await lose(app);
  const job = await jobOf(app.db, id);
  assertEquals([job.status, job.reason, job.attempts], ["failed", "worker_lost", 1]);
});

Deno.test("a slow job reaches its limit: sweeping gives no attempt back", async () => {
  await using app = await freshApp();
  const id = await enqueue(app.db, { kind: "work", maxAttempts: 2 });
  await lose(app);
  assertEquals((await jobOf(app.db, id)).attempts, 1);
  await lose(app);
  assertEquals((await jobOf(app.db, id)).status, "failed");
});

Deno.test("parallel sweeps count each loss once", async () => {
  await using app = await freshApp({ connection: { max: 10 } });
  await warmUp(app, 10);
  await app.rows`insert into jobs (kind) select 'work' from generate_series(1, 50)`;
  await claim(app.db, { limit: 50 });
  await endLeases(app.db);
  const swept = await Promise.all(Array.from({ length: 10 }, () => sweepLostJobs(app.db, 50)));
  assertEquals(swept.flat().length, 50);
  assertEquals(await app.rows`select distinct lost from jobs`, [{ lost: 1 }]);
});

Deno.test("a sweep takes at most its limit, and passes over a job that is being settled", async () => {
  await using app = await freshApp();
  await app.rows`insert into jobs (kind) select 'work' from generate_series(1, 5)`;
  const jobs = await claim(app.db, { limit: 5 });
  await endLeases(app.db);
  assertEquals((await sweepLostJobs(app.db, 2)).length, 2);
  await app.db.sql.begin(async (sql) => {
    await sql`select from jobs where id = ${jobs[4]!.id}::bigint for update`;
    assertEquals((await sweepLostJobs(app.db, 10)).length, 2);
  });
});

Deno.test("a sweep that gives a job back wakes the workers", async () => {
  await using app = await freshApp();
  let heard = 0;
  await enqueue(app.db, { kind: "work" });
  await app.db.sql.listen(CHANNEL, () => void heard++);
  await lose(app);
  await until("the notification arrives", () => heard === 1);
});

async function lose(app: TestApp): Promise<void> {
  for (const quarantined of [false, true]) await claim(app.db, { quarantined });
  await endLeases(app.db);
  await sweepLostJobs(app.db, 10);
}
