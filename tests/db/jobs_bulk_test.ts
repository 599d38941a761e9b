import { assertEquals } from "@std/assert";
import { CHANNEL, enqueue, insertJobs, jobRow } from "../../lib/db/jobs.ts";
import {
  cancelJob,
  listFailedSince,
  listTakenKeys,
  retryFailedJobs,
} from "../../lib/db/jobs_bulk.ts";
import { freshApp, type TestApp, warmUp } from "../support/app.ts";
import { claim, jobOf, plain, settle } from "../support/jobs.ts";
import { until } from "../support/until.ts";

const ATONCE = { delaySeconds: 0, pauseSeconds: 0 };

/** Makes jobs that failed as exhausted an hour ago, after five claims. */
async function failedJobs(app: TestApp, count: number): Promise<string[]> {
  const ids = await insertJobs(app.db, Array.from({ length: count }, () => jobRow(WORK)));
  await app.rows`
    update jobs set status = 'failed', reason = 'exhausted', attempts = 5, claims = 5, lost = 1,
      last_error = 'boom', finished_at = now() - interval '1 hour'`;
  return ids.map((id) => id!);
}
const WORK = { kind: "work" };

Deno.test("listFailedSince() finds what failed since then and nothing else, in the order of ids", async () => {
  await using app = await freshApp();
  await failedJobs(app, 6);
  await app.rows`update jobs set finished_at = now() - interval '3 hours' where id = 1`;
  await app.rows`update jobs set kind = 'other' where id = 2`;
  await app.rows`update jobs set status = 'done', reason = null where id = 3`;
  await app.rows`update jobs set payload_removed_at = now() where id = 4`;
  await app.rows`update jobs set reason = 'timeout' where id = 5`;
  const since = new Date(Date.now() - 2 * 3_600_000);
  assertEquals(await plain(listFailedSince(app.db, { kind: "work", since })), [
    { id: "5", reason: "timeout" },
    { id: "6", reason: "exhausted" },
  ]);
});

Deno.test("retryFailedJobs() gives whole budgets, keeps the history, and spreads the due times in the order given", async () => {
  await using app = await freshApp();
  const ids = await failedJobs(app, 4);
  const spread = { delaySeconds: 60, pauseSeconds: 0.5 };
  assertEquals(await retryFailedJobs(app.db, ids, spread), ids);
  const rows = await app.rows`
    select status, reason, attempts, lost, claims, last_error, finished_at,
      extract(epoch from run_at - min(run_at) over ())::float as later,
      run_at > now() + interval '50 seconds' as waits from jobs order by id`;
  assertEquals(
    rows,
    [0, 0.5, 1, 1.5].map((later) => ({
      status: "pending",
      reason: null,
      attempts: 0,
      lost: 0,
      claims: 5,
      last_error: "boom",
      finished_at: null,
      later,
      waits: true,
    })),
  );
});

Deno.test("retryFailedJobs() leaves alone what is not failed any more, or a job would run twice at once", async () => {
  await using app = await freshApp();
  const ids = await failedJobs(app, 4);
  await retryFailedJobs(app.db, ids.slice(0, 2), ATONCE);
  await claim(app.db);
  await app.rows`update jobs set payload_removed_at = now() where id = 3`;
  assertEquals(await retryFailedJobs(app.db, [...ids, "999"], ATONCE), ["4"]);
  assertEquals((await jobOf(app.db, "1")).status, "running");
  assertEquals(await retryFailedJobs(app.db, [], ATONCE), []);
});

Deno.test("two operators who retry the same jobs at once do not deadlock, and each job is taken up once", async () => {
  await using app = await freshApp();
  const ids = await failedJobs(app, 300);
  const given = [ids, ids.toReversed(), ids, ids.toReversed()];
  const retried = await Promise.all(given.map((some) => retryFailedJobs(app.db, some, ATONCE)));
  assertEquals(retried.flat().length, 300);
});

Deno.test("retryFailedJobs() wakes the workers, once", async () => {
  await using app = await freshApp();
  const ids = await failedJobs(app, 3);
  const heard: string[] = [];
  await app.db.sql.listen(CHANNEL, (payload) => void heard.push(payload));
  await retryFailedJobs(app.db, ids, ATONCE);
  await app.db.sql.notify(CHANNEL, "last");
  await until("the last notification arrives", () => heard.includes("last"));
  assertEquals(heard, ["", "last"]);
});

Deno.test("cancelJob() ends a waiting job without an alert, and no claim takes it; it leaves others alone", async () => {
  await using app = await freshApp();
  const waiting = await enqueue(app.db, WORK);
  assertEquals(await cancelJob(app.db, waiting!), true);
  assertEquals(await cancelJob(app.db, waiting!), false);
  assertEquals(await claim(app.db), []);
  const { status, reason, finishedAt } = await jobOf(app.db, waiting);
  assertEquals([status, reason, finishedAt !== null], ["failed", "cancelled", true]);
  assertEquals(await app.rows`select from alerts`, []);
  const running = await enqueue(app.db, WORK);
  const claims = await claim(app.db);
  assertEquals(await cancelJob(app.db, running!), false);
  await settle(app.db, claims);
  assertEquals((await jobOf(app.db, running)).status, "done");
});

Deno.test("listTakenKeys() tells the keys that are taken, whatever characters they hold", async () => {
  await using app = await freshApp();
  const keys = ['a"b\\c', "{x,y}", "NULL"];
  for (const key of keys) await enqueue(app.db, { ...WORK, key });
  const taken = await listTakenKeys(app.db, [...keys, "free"]);
  assertEquals(taken.toSorted(), keys.toSorted());
  assertEquals(await listTakenKeys(app.db, []), []);
});

const DEAL = { kind: "work", entity: "deal 1" };

Deno.test("cancelJob() of a follower leaves the turn to the job that runs: no other of the entity begins beside it", async () => {
  await using app = await freshApp();
  const [head, cancelled, next] = await insertJobs(app.db, [1, 2, 3].map(() => jobRow(DEAL)));
  const claims = await claim(app.db, { limit: 5 });
  assertEquals(claims.map((job) => job.id), [head]);
  assertEquals(await cancelJob(app.db, cancelled!), true);
  assertEquals(await claim(app.db, { limit: 5 }), []);
  await settle(app.db, claims);
  assertEquals((await claim(app.db, { limit: 5 })).map((job) => job.id), [next]);
});

Deno.test("cancelJob() of the job that holds up its entity lets the next go at once", async () => {
  await using app = await freshApp();
  const [head, next] = await insertJobs(app.db, [1, 2].map(() => jobRow(DEAL)));
  await settle(app.db, await claim(app.db), { status: "pending", delaySeconds: 3600 });
  assertEquals(await claim(app.db), []);
  assertEquals(await cancelJob(app.db, head!), true);
  assertEquals((await claim(app.db)).map((job) => job.id), [next]);
});

Deno.test("cancelJob() of an entity's only job takes its row away, and a delayed follower still waits for its time", async () => {
  await using app = await freshApp();
  const only = await enqueue(app.db, DEAL);
  await cancelJob(app.db, only!);
  assertEquals(await app.rows`select from entities`, []);
  const first = await enqueue(app.db, DEAL);
  const delayed = await enqueue(app.db, { ...DEAL, delaySeconds: 3600 });
  await cancelJob(app.db, first!);
  assertEquals(await claim(app.db), []);
  await app.rows`update jobs set run_at = now() where status = 'pending'`;
  await app.rows`update entities set next_at = now()`;
  assertEquals((await claim(app.db)).map((job) => job.id), [delayed]);
});

Deno.test("retryFailedJobs() puts the jobs of an entity back in line: one at a time, in the order of their ids", async () => {
  await using app = await freshApp();
  const ids = (await insertJobs(app.db, [1, 2, 3].map(() => jobRow(DEAL)))).map((id) => id!);
  for (const _ of ids) {
    await settle(app.db, await claim(app.db), { status: "failed", reason: "exhausted" });
  }
  assertEquals(await app.rows`select from entities`, []);
  assertEquals(await retryFailedJobs(app.db, ids, ATONCE), ids);
  for (const id of ids) {
    const claims = await claim(app.db, { limit: 5 });
    assertEquals(claims.map((job) => job.id), [id]);
    await settle(app.db, claims);
  }
});

Deno.test("a cancel and a claim of the same entity at the same instant: the job is cancelled or runs, never both", async () => {
  await using app = await freshApp({ connection: { max: 10 } });
  await warmUp(app, 10);
  for (let round = 0; round < 20; round++) {
    const id = (await enqueue(app.db, DEAL))!;
    const [cancelled, claims] = await Promise.all([cancelJob(app.db, id), claim(app.db)]);
    assertEquals(claims.length, cancelled ? 0 : 1);
    await settle(app.db, claims);
    assertEquals(await app.rows`select from entities`, []);
  }
});
