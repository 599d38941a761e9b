import { assert, assertEquals } from "@std/assert";
import { enqueue, insertJobs, jobRow } from "../../lib/db/jobs.ts";
import { freshApp, type TestApp, warmUp } from "../support/app.ts";
import { claim, jobOf, settle } from "../support/jobs.ts";

Deno.test("thirty parallel claims over twenty jobs take each exactly once (rule 5)", async () => {
  await using app = await freshApp({ connection: { max: 15 } });
  await warmUp(app, 15);
  const ids = await makeJobs(app, 20);
  const claims = await Promise.all(Array.from({ length: 30 }, () => claim(app.db, { limit: 3 })));
  const taken = claims.flat().map((job) => job.id);
  assertEquals(taken.toSorted(byNumber), ids);
  assertEquals(await app.rows`select distinct attempts, claims from jobs`, [
    { attempts: 1, claims: 1 },
  ]);
});

Deno.test("a claim never takes more than its limit, even when the statistics know of one row only (rule 4)", async () => {
  await using app = await freshApp();
  await makeJobs(app, 1);
  await app.rows`analyze jobs`;
  await makeJobs(app, 40);
  assertEquals((await claim(app.db, { limit: 5 })).length, 5);
  assertEquals(await app.rows`select count(*)::int from jobs where status = 'running'`, [
    { count: 5 },
  ]);
});

Deno.test("a claim takes more urgent jobs first, then those due longer, then the older", async () => {
  await using app = await freshApp();
  await app.rows`
    insert into jobs (kind, priority, run_at, last_error) values
      ('work', 3, now() - interval '9 minutes', 'sixth'),
      ('work', 1, now() - interval '1 minute', 'third'),
      ('work', 1, now() - interval '1 minute', 'fourth'),
      ('work', 1, now() - interval '5 minutes', 'second'),
      ('work', 0, now(), 'first'),
      ('work', 2, now() - interval '9 minutes', 'fifth')`;
  const order: (string | null)[] = [];
  for (let taken = await claim(app.db); taken.length > 0; taken = await claim(app.db)) {
    order.push((await jobOf(app.db, taken[0]!.id)).lastError);
  }
  assertEquals(order, ["first", "second", "third", "fourth", "fifth", "sixth"]);
});

Deno.test("one claim over several levels takes the most urgent, not the first it finds", async () => {
  await using app = await freshApp();
  await app.rows`
    insert into jobs (kind, priority, run_at)
    select 'work', priority, now() - priority * interval '1 hour'
    from generate_series(0, 3) as priority, generate_series(1, 10)`;
  await claim(app.db, { limit: 15 });
  const rows = await app.rows`
    select priority, count(*)::int from jobs where status = 'running' group by 1 order by 1`;
  assertEquals(rows, [{ priority: 0, count: 10 }, { priority: 1, count: 5 }]);
});

Deno.test("a job is not claimed before it is due", async () => {
  await using app = await freshApp();
  await enqueue(app.db, { kind: "work", delaySeconds: 60 });
  assertEquals(await claim(app.db), []);
  await app.rows`update jobs set run_at = now()`;
  assertEquals((await claim(app.db)).length, 1);
});

Deno.test("kinds that a worker does not know are left for one that does", async () => {
  await using app = await freshApp();
  const id = await enqueue(app.db, { kind: "of a newer version" });
  assertEquals(await claim(app.db), []);
  assertEquals(await claim(app.db, { kinds: [] }), []);
  assertEquals((await jobOf(app.db, id)).claims, 0);
});

Deno.test("jobs whose earlier run has not ended are left for others", async () => {
  await using app = await freshApp();
  const [first, second] = await makeJobs(app, 2);
  const taken = await claim(app.db, { limit: 2, except: [first!] });
  assertEquals(taken.map((job) => job.id), [second]);
  assertEquals((await claim(app.db)).map((job) => job.id), [first]);
});

Deno.test("a claim holds as long as its kind says, by the database's clock (rule 19)", async () => {
  await using app = await freshApp();
  await makeJobs(app, 1);
  await claim(app.db, { leaseSeconds: 300, worker: "host/1" });
  const [row] = await app.rows`
    select extract(epoch from locked_until - clock_timestamp())::float8 as seconds, locked_by from jobs`;
  assert(row!.seconds > 295 && row!.seconds <= 300, String(row!.seconds));
  assertEquals(row!.locked_by, "host/1");
});

Deno.test("a job with a thousand attempts breaks no claim of others, and its pause no query (rule 12)", async () => {
  await using app = await freshApp();
  await app.rows`
    insert into jobs (kind, attempts, max_attempts)
    select 'work', attempts, 2000 from unnest('{0, 31, 63, 1000}'::integer[]) as attempts`;
  const jobs = await claim(app.db, { limit: 10 });
  assertEquals(jobs.map((job) => job.attempts).toSorted((a, b) => a - b), [1, 32, 64, 1001]);
  assertEquals((await settle(app.db, jobs, { status: "pending", delaySeconds: 4320 })).length, 4);
});

Deno.test("a job that was lost is taken only by who asks for such, and others only by who does not", async () => {
  await using app = await freshApp();
  const [lost, other] = await makeJobs(app, 2);
  await app.rows`update jobs set lost = 1 where id = ${lost!}::bigint`;
  assertEquals((await claim(app.db, { limit: 5 })).map((job) => job.id), [other]);
  const quarantined = await claim(app.db, { limit: 5, quarantined: true });
  assertEquals(quarantined.map((job) => [job.id, job.lost]), [[lost, 1]]);
});

Deno.test("a claim does not wait for a row that somebody holds", async () => {
  await using app = await freshApp();
  const [first, second] = await makeJobs(app, 2);
  await app.db.sql.begin(async (sql) => {
    await sql`select from jobs where id = ${first!}::bigint for update`;
    assertEquals((await claim(app.db, { limit: 2 })).map((job) => job.id), [second]);
  });
});

async function makeJobs(app: TestApp, count: number): Promise<string[]> {
  const ids = await insertJobs(
    app.db,
    Array.from({ length: count }, () => jobRow({ kind: "work" })),
  );
  return ids.map((id) => id!);
}

const byNumber = (a: string, b: string) => Number(a) - Number(b);
