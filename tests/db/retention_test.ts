import { assert, assertEquals, assertRejects } from "@std/assert";
import type { Queries } from "../../lib/db/db.ts";
import { insertDeliveries } from "../../lib/db/events.ts";
import { enqueue, jobRow, retryJob } from "../../lib/db/jobs.ts";
import {
  completeRetention,
  getBodyRemovedAt,
  removeBodies,
  removeEmptiedJobs,
  removeEvents,
  removeFinishedJobs,
} from "../../lib/db/retention.ts";
import { freshApp, type TestApp } from "../support/app.ts";
import { deliveryRow } from "../support/jobs.ts";
import { until } from "../support/until.ts";

const ours = { worker: "host/1", limit: 100 };
const KEY_DAYS = 400;
const doneAfter = (days: number) => (
  { ...ours, status: "done", days, keyDays: KEY_DAYS } as const
);

Deno.test("only finished jobs in the given state are deleted, by the time they finished and not by their age (rule 18)", async () => {
  await using app = await freshApp();
  await app.rows`
    insert into jobs (kind, status, reason, superseded_by, created_at, locked_until, finished_at) values
      ('old', 'done', null, null, now() - interval '9 days', null, now() - interval '31 days'),
      ('young', 'done', null, null, now() - interval '99 days', null, now() - interval '29 days'),
      ('failed', 'failed', 'timeout', null, now(), null, now() - interval '31 days'),
      ('superseded', 'superseded', null, 7, now(), null, now() - interval '31 days'),
      ('pending', 'pending', null, null, now() - interval '99 days', null, null),
      ('running', 'running', null, null, now() - interval '99 days', now(), null)`;
  assertEquals(await removeFinishedJobs(app.db, doneAfter(30)), { ours: true, rows: 1 });
  const left = await app.rows`select kind from jobs order by id`;
  assertEquals(left.map(({ kind }) => kind), [
    "young",
    "failed",
    "superseded",
    "pending",
    "running",
  ]);
});

Deno.test("a job's key stays taken after its payload is gone, so what must happen once does not happen again", async () => {
  await using app = await freshApp();
  await finished(app, { key: "paid:7", payload: { name: "Ada" }, days: 31 });
  assertEquals(await removeFinishedJobs(app.db, doneAfter(30)), { ours: true, rows: 1 });
  assertEquals(await enqueue(app.db, { kind: "work", key: "paid:7" }), undefined);
  const [job] = await app.rows`
    select payload::text, result, last_error, payload_removed_at is not null as told from jobs`;
  assertEquals(job, { payload: "{}", result: null, last_error: null, told: true });
  // It is not touched twice, and goes when its time is over.
  assertEquals((await removeFinishedJobs(app.db, doneAfter(30))).rows, 0);
  assertEquals((await removeEmptiedJobs(app.db, { ...ours, keyDays: KEY_DAYS })).rows, 0);
  await app.rows`update jobs set finished_at = now() - interval '401 days'`;
  assertEquals((await removeEmptiedJobs(app.db, { ...ours, keyDays: KEY_DAYS })).rows, 1);
  assertEquals(typeof await enqueue(app.db, { kind: "work", key: "paid:7" }), "string");
});

Deno.test("a job with a key that is older than keys are kept is deleted at once", async () => {
  await using app = await freshApp();
  await finished(app, { key: "paid:7", days: 401 });
  await removeFinishedJobs(app.db, doneAfter(30));
  assertEquals(await app.rows`select from jobs`, []);
});

Deno.test("an emptied job can never run again, whoever asks for it: the table itself refuses", async () => {
  await using app = await freshApp();
  const id = await finished(app, { key: "paid:7", days: 31 });
  await removeFinishedJobs(app.db, doneAfter(30));
  await assertRejects(() => retryJob(app.db, id, { again: true }), Error, "jobs_payload_removed");
});

Deno.test("a job that someone holds at this moment is skipped, not waited for", async () => {
  await using app = await freshApp();
  await finished(app, { days: 31 });
  await finished(app, { days: 32 });
  await app.db.sql.begin(async (sql) => {
    await sql`select from jobs where id = 1 for update`;
    assertEquals((await removeFinishedJobs(app.db, doneAfter(30))).rows, 1);
  });
  assertEquals(await app.rows`select id from jobs`, [{ id: "1" }]);
});

Deno.test("a job that is retried while a batch looks for it is not deleted", async () => {
  await using app = await freshApp();
  const id = await finished(app, { days: 31 });
  // The turn is the first thing a batch takes: held up there, it has its snapshot and no lock on the job yet.
  const { batch } = await app.db.sql.begin(async (sql) => {
    await sql`select from retention for update`;
    const batch = removeFinishedJobs(app.db, doneAfter(30));
    await waitsForALock(app);
    await retryJob(app.db, id, { again: true });
    return { batch };
  });
  assertEquals(await batch, { ours: true, rows: 0 });
  assertEquals(await app.rows`select status from jobs`, [{ status: "pending" }]);
});

Deno.test("a batch takes at most its limit, the oldest first (rule 18)", async () => {
  await using app = await freshApp();
  for (const days of [31, 33, 32]) await finished(app, { days });
  assertEquals(await removeFinishedJobs(app.db, { ...doneAfter(30), limit: 2 }), {
    ours: true,
    rows: 2,
  });
  assertEquals(await app.rows`select id from jobs`, [{ id: "1" }]);
});

Deno.test("a body goes by its age, but stays while a job of its event is unfinished; the event stays", async () => {
  await using app = await freshApp();
  const at = async (days: number, status: string) => {
    const [stored] = await insertDeliveries(app.db, [
      deliveryRow({ dedupKey: `${days} ${status}`, jobs: [jobRow({ kind: "work" })] }),
    ]);
    await app.rows`
      update events set received_at = now() - make_interval(days => ${days}::integer) where id = ${stored!
      .id!}`;
    if (status === "done") {
      await app.rows`
        update jobs set status = 'done', finished_at = now() where event_id = ${stored!.id!}`;
    }
    return stored!.id!;
  };
  const [waiting, old, young] = [
    await at(91, "pending"),
    await at(91, "done"),
    await at(89, "done"),
  ];
  assertEquals(await removeBodies(app.db, { ...ours, days: 90 }), { ours: true, rows: 1 });
  assertEquals(await app.rows`select id from events where body is null`, [{ id: old }]);
  assertEquals(await getBodyRemovedAt(app.db, young), null);
  assertEquals(await getBodyRemovedAt(app.db, waiting), null);
  const removedAt = await getBodyRemovedAt(app.db, old);
  assert(Math.abs(Date.now() - removedAt!.getTime()) < 60_000);
});

Deno.test("making a job of an event does not wait for the batch that removes its body", async () => {
  await using app = await freshApp();
  const [stored] = await insertDeliveries(app.db, [deliveryRow()]);
  await app.rows`update events set received_at = now() - interval '91 days'`;
  const id = await app.db.sql.begin(async (sql) => {
    const inside: Queries = { sql, run: (statement) => Promise.resolve(statement) };
    assertEquals((await removeBodies(inside, { ...ours, days: 90 })).rows, 1);
    return await enqueue(app.db, { kind: "work" }, stored!.id);
  });
  assertEquals(typeof id, "string");
});

Deno.test("a late repeat is still a repeat when the body is gone, until the key is forgotten too (rule 18, F042)", async () => {
  await using app = await freshApp();
  const delivery = deliveryRow({ dedupKey: "d1", jobs: [jobRow({ kind: "work" })] });
  const send = async () => (await insertDeliveries(app.db, [delivery]))[0]!.id;
  const clean = async () => [
    (await removeFinishedJobs(app.db, doneAfter(30))).rows,
    (await removeBodies(app.db, { ...ours, days: 90 })).rows,
    (await removeEvents(app.db, { ...ours, keyDays: KEY_DAYS })).rows,
  ];
  const age = (days: number) =>
    app.rows`update events set received_at = now() - make_interval(days => ${days}::integer)`;
  await send();
  await app.rows`update jobs set status = 'done', finished_at = now() - interval '399 days'`;
  await age(399);
  assertEquals(await clean(), [1, 1, 0]);
  assertEquals(await send(), null);
  assertEquals(await app.rows`select from jobs`, []);
  await age(401);
  assertEquals(await clean(), [0, 0, 1]);
  assertEquals(typeof await send(), "string");
});

Deno.test("an event stays as long as a job refers to it, however old it is", async () => {
  await using app = await freshApp();
  await insertDeliveries(app.db, [deliveryRow({ jobs: [jobRow({ kind: "work" })] })]);
  await app.rows`update events set body = null, received_at = now() - interval '999 days'`;
  assertEquals(await removeEvents(app.db, { ...ours, keyDays: KEY_DAYS }), {
    ours: true,
    rows: 0,
  });
});

Deno.test("while one worker has the turn no other removes anything, and gets it when the first is done or silent", async () => {
  await using app = await freshApp();
  await finished(app, { days: 31 });
  await finished(app, { days: 31 });
  const batch = (worker: string) =>
    removeFinishedJobs(app.db, { ...doneAfter(30), worker, limit: 1 });
  assertEquals(await batch("host/1"), { ours: true, rows: 1 });
  assertEquals(await batch("host/2"), { ours: false, rows: 0 });
  await app.rows`update retention set held_until = now() - interval '1 second'`;
  assertEquals(await batch("host/2"), { ours: true, rows: 1 });
  await completeRetention(app.db, "host/1");
  assertEquals(await batch("host/1"), { ours: false, rows: 0 });
  await completeRetention(app.db, "host/2");
  assertEquals(await batch("host/1"), { ours: true, rows: 0 });
});

Deno.test("no batch reads a whole table, also when little of it is old", async () => {
  await using app = await freshApp();
  await app.rows`
    insert into events (source, dedup_key, secret_index, path, headers, body, received_at)
    select 'site', n::text, 0, '/', '{}', case when n % 2 = 0 then '{}'::bytea end, now() - n * interval '1 minute'
    from generate_series(1, 20000) as n`;
  await app.rows`
    insert into jobs (kind, event_id, status, reason, superseded_by, key, finished_at, payload_removed_at)
    select 'work', n, (array['done', 'failed', 'superseded'])[n % 3 + 1],
      case when n % 3 = 1 then 'timeout' end, case when n % 3 = 2 then n + 1 end, case when n % 4 = 0 then n::text end, now() - n * interval '1 minute',
      case when n % 8 = 0 then now() end
    from generate_series(1, 20000) as n`;
  await app.rows`analyze`;
  const plans: string[] = [];
  const explaining: Queries = {
    sql: app.db.sql,
    async run(statement) {
      const lines = await app.db.sql`explain ${statement as never}`;
      plans.push(lines.map((line) => line["QUERY PLAN"]).join("\n"));
      return await statement;
    },
  };
  for (const status of ["done", "failed", "superseded"] as const) {
    await removeFinishedJobs(explaining, { ...ours, status, days: 13, keyDays: KEY_DAYS });
  }
  await removeEmptiedJobs(explaining, { ...ours, keyDays: 13 });
  await removeBodies(explaining, { ...ours, days: 13 });
  await removeEvents(explaining, { ...ours, keyDays: 13 });
  assertEquals(plans.length, 6);
  for (const plan of plans) assert(!/Seq Scan on (jobs|events)/.test(plan), plan);
});

/** A job that was done so many days ago. */
async function finished(
  app: TestApp,
  { key = null, payload = {}, days }: { key?: string | null; payload?: object; days: number },
): Promise<string> {
  const [row] = await app.db.sql<{ id: string }[]>`
    insert into jobs (kind, payload, key, status, result, last_error, finished_at)
    values ('work', ${
    JSON.stringify(payload)
  }::text::json, ${key}, 'done', 'told Ada', 'Ada was away',
      now() - make_interval(days => ${days}::integer))
    returning id`;
  return row!.id;
}

async function waitsForALock(app: TestApp): Promise<void> {
  await until("a batch waits for its turn", async () => {
    const waiting = await app.rows`
      select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    return waiting.length > 0;
  });
}
