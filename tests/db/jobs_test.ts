import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { parseJson } from "../../lib/base/json.ts";
import { inTransaction } from "../../lib/db/db.ts";
import { CHANNEL, enqueue, insertJobs, jobRow, retryJob } from "../../lib/db/jobs.ts";
import { freshApp, warmUp } from "../support/app.ts";
import { claim, jobOf, settle } from "../support/jobs.ts";
import { until } from "../support/until.ts";

Deno.test("a job with the same key is made once, even when thirty ask for it at the same instant", async () => {
  await using app = await freshApp({ connection: { max: 15 } });
  await warmUp(app, 15);
  const job = { kind: "work", key: "order 17" };
  const ids = await Promise.all(Array.from({ length: 30 }, () => enqueue(app.db, job)));
  assertEquals(ids.filter((id) => id !== undefined).length, 1);
  assertEquals(await app.rows`select count(*)::int from jobs`, [{ count: 1 }]);
});

Deno.test("a key stays taken after its job is done, so what was done once is not done again", async () => {
  await using app = await freshApp();
  await enqueue(app.db, { kind: "work", key: "order 17" });
  await settle(app.db, await claim(app.db));
  assertEquals(await enqueue(app.db, { kind: "work", key: "order 17" }), undefined);
});

Deno.test("keys that Postgres could not hold are still told apart", async () => {
  await using app = await freshApp();
  const keys = ["a\0b", "a\0c", "\ud800", "\ud801", `${"x".repeat(5000)}1`, `${"x".repeat(5000)}2`];
  const jobs = keys.map((key) => jobRow({ kind: "work", key }));
  const first = await insertJobs(app.db, jobs);
  assertEquals(first.includes(null), false);
  assertEquals(await insertJobs(app.db, jobs), keys.map(() => null));
});

Deno.test("a job of a transaction that is rolled back does not exist", async () => {
  await using app = await freshApp();
  const rolledBack = app.db.sql.begin(async (sql) => {
    await enqueue(inTransaction(sql), { kind: "work" });
    throw new Error("changed my mind");
  });
  await assertRejects(() => rolledBack, Error, "changed my mind");
  assertEquals(await claim(app.db), []);
});

Deno.test("a job of a transaction is not claimed before the commit, and is after it", async () => {
  await using app = await freshApp();
  const id = await app.db.sql.begin(async (sql) => {
    const id = await enqueue(inTransaction(sql), { kind: "work" });
    assertEquals(await claim(app.db), []);
    return id;
  });
  assertEquals((await claim(app.db)).map((job) => job.id), [id]);
});

Deno.test("a delay is counted by the database's clock, whatever this process's clock says (rule 19)", async () => {
  await using app = await freshApp();
  await enqueue(app.db, { kind: "work", delaySeconds: 90.5 });
  const [row] = await app.rows`select (run_at - created_at)::text as delay from jobs`;
  assertEquals(row, { delay: "00:01:30.5" });
});

Deno.test("runAt is kept to the millisecond", async () => {
  await using app = await freshApp();
  const runAt = new Date("2031-05-06T07:08:09.123Z");
  const id = await enqueue(app.db, { kind: "work", runAt });
  assertEquals((await jobOf(app.db, id)).runAt, runAt);
});

Deno.test("no character of a payload is lost or refused: zero, lone surrogate, 64-bit digits", async () => {
  await using app = await freshApp();
  const payload = {
    zero: "a\0b",
    lone: "\ud83d",
    big: "9223372036854775807",
    'key\0"\\{},': "é😀",
  };
  await enqueue(app.db, { kind: "work", payload });
  const [job] = await claim(app.db);
  assertEquals(parseJson(job!.payload), payload);
});

Deno.test("insertJobs() gives ids in the order given, and null where a key is taken, also inside the batch", async () => {
  await using app = await freshApp();
  await enqueue(app.db, { kind: "work", key: "taken" });
  const keys = ["z", "taken", undefined, "a", "z"];
  const ids = await insertJobs(app.db, keys.map((key) => jobRow({ kind: "work", key })));
  assertEquals(ids.map((id) => id === null), [false, true, false, false, true]);
  const made = ids.filter((id) => id !== null).map(Number);
  assertEquals(made, made.toSorted((a, b) => a - b));
});

Deno.test("a batch of jobs notifies once and says nothing but look; jobs that were not made notify nobody (rule 20)", async () => {
  await using app = await freshApp();
  const heard: string[] = [];
  await app.db.sql.listen(CHANNEL, (payload) => void heard.push(payload));
  const text = "ы".repeat(10_000);
  const jobs = Array.from(
    { length: 50 },
    (_, index) => jobRow({ kind: "work", key: `${index}`, payload: { text } }),
  );
  await insertJobs(app.db, jobs);
  await insertJobs(app.db, jobs);
  await app.db.sql.notify(CHANNEL, "last");
  await until("the last notification arrives", () => heard.includes("last"));
  assertEquals(heard, ["", "last"]);
});

Deno.test("a retried job has its whole budget again, keeps its history, and really runs", async () => {
  await using app = await freshApp();
  const id = await enqueue(app.db, { kind: "work", maxAttempts: 2 });
  const { sql } = app.db;
  await sql`update jobs set status = 'failed', reason = 'exhausted', attempts = 2, claims = 5, lost = 2,
    last_error = 'boom', started_at = now() - interval '3 days', finished_at = now() - interval '3 days'`;
  assertEquals(await retryJob(app.db, id!), id);
  const [job] = await claim(app.db);
  assertEquals([job?.id, job?.attempts, job?.claims, job?.lost], [id, 1, 6, 0]);
  assertEquals((await jobOf(app.db, id)).lastError, "boom");
});

Deno.test("retryJob() leaves a running job alone, or two workers would have it", async () => {
  await using app = await freshApp();
  const id = await enqueue(app.db, { kind: "work" });
  await claim(app.db);
  assertEquals(await retryJob(app.db, id!), undefined);
  assertEquals((await jobOf(app.db, id)).status, "running");
  assertEquals(await retryJob(app.db, "999999999999"), undefined);
});

Deno.test("retryJob() wakes the workers", async () => {
  await using app = await freshApp();
  const id = await enqueue(app.db, { kind: "work" });
  await settle(app.db, await claim(app.db));
  let heard = 0;
  await app.db.sql.listen(CHANNEL, () => void heard++);
  await retryJob(app.db, id!, { again: true });
  await until("the notification arrives", () => heard === 1);
  assertMatch((await jobOf(app.db, id)).status, /^pending$/);
});
