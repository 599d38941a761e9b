import { assertEquals, assertMatch } from "@std/assert";
import { sweepLostJobs } from "../../lib/db/claims.ts";
import { listHeldEntities } from "../../lib/db/entities.ts";
import type { Queries } from "../../lib/db/db.ts";
import { enqueue, insertJobs, jobRow, retryJob } from "../../lib/db/jobs.ts";
import type { NewJob } from "../../lib/contract.ts";
import { freshApp, type TestApp } from "../support/app.ts";
import { claim, endLeases, jobOf, settle } from "../support/jobs.ts";

Deno.test("jobs of one entity run one at a time and in order, however many are asked for (rule 10)", async () => {
  await using app = await freshApp();
  const ids = await make(app, 4, { entity: "lead:1" });
  const free = await make(app, 2);
  for (const id of ids) {
    const taken = await claim(app.db, { limit: 10 });
    const ours = taken.filter((job) => ids.includes(job.id));
    assertEquals(ours.map((job) => job.id), [id]);
    assertEquals(await claim(app.db, { limit: 10 }), []);
    await settle(app.db, taken);
  }
  for (const id of free) assertEquals((await jobOf(app.db, id)).status, "done");
  assertEquals(await app.rows`select entity from entities where next_at = 'infinity'`, []);
});

Deno.test("a hundred claims at once never take two jobs of one entity (rule 10)", async () => {
  await using app = await freshApp({ connection: { max: 20 } });
  const entities = Array.from({ length: 10 }, (_, n) => `lead:${n}`);
  const rows = entities.flatMap((entity) =>
    Array.from({ length: 10 }, () => jobRow({ kind: "work", entity }))
  );
  await insertJobs(app.db, rows);
  let done = 0;
  while (done < 100) {
    const claims = await Promise.all(
      Array.from({ length: 20 }, () => claim(app.db, { limit: 3 })),
    );
    const [overlap] = await app.rows`
      select count(*)::int as count from
        (select entity from jobs where status = 'running' group by entity having count(*) > 1) as twice
    `;
    assertEquals(overlap, { count: 0 });
    const jobs = claims.flat();
    done += (await settle(app.db, jobs)).length;
  }
  const order = await app.rows`
    select count(*)::int as count from jobs as earlier join jobs as later
      on earlier.entity = later.entity and earlier.id < later.id and earlier.started_at > later.started_at
  `;
  assertEquals(order, [{ count: 0 }]);
});

Deno.test("a lower id that commits during a claim does not run beside the higher one", async () => {
  await using app = await freshApp({ connection: { max: 10 } });
  const gate = Promise.withResolvers<void>();
  const inserted = Promise.withResolvers<string>();
  const early = app.db.sql.begin(async (sql) => {
    const queries = { sql, run: <T>(statement: PromiseLike<T>) => Promise.resolve(statement) };
    // deno-lint-ignore no-explicit-any -- the transaction stands for the pool
    const id = await enqueue(queries as any, { kind: "work", entity: "lead:1" });
    inserted.resolve(id!);
    await gate.promise;
  });
  const low = await inserted.promise;
  const later = enqueue(app.db, { kind: "work", entity: "lead:1" });
  gate.resolve();
  await early;
  const high = (await later)!;
  const claims = await Promise.all(Array.from({ length: 8 }, () => claim(app.db, { limit: 5 })));
  const taken = claims.flat().map((job) => job.id);
  assertEquals(taken.length <= 1, true);
  assertEquals([low, high].map(Number).toSorted((a, b) => a - b), [Number(low), Number(high)]);
});

Deno.test("a job that will be tried again holds its followers, and a failed one lets the next go (rule 10)", async () => {
  await using app = await freshApp();
  const [first, second] = await make(app, 2, { entity: "lead:1" });
  const [job] = await claim(app.db);
  await settle(app.db, [job!], { status: "pending", delaySeconds: 600, error: "busy" });
  assertEquals(await claim(app.db), []);
  assertEquals(
    await listHeldEntities(app.db, 10).then((held) =>
      held.map(({ jobId, followers }) => ({ jobId, followers }))
    ),
    [
      { jobId: first!, followers: 1 },
    ],
  );
  await retryJob(app.db, first!);
  const [again] = await claim(app.db);
  assertEquals(again!.id, first!);
  await settle(app.db, [again!], { status: "failed", reason: "permanent", error: "no" });
  assertEquals((await claim(app.db)).map((job) => job.id), [second!]);
});

Deno.test("a kind whose failing job steps aside lets the others of its entity go on", async () => {
  await using app = await freshApp();
  const [first, second] = await make(app, 2, { entity: "lead:1" });
  const [job] = await claim(app.db);
  await settle(app.db, [job!], { status: "pending", delaySeconds: 600, stepsAside: true });
  const [next] = await claim(app.db);
  assertEquals(next!.id, second!);
  await settle(app.db, [next!]);
  assertEquals(await claim(app.db), []);
  await app.db.sql`update jobs set run_at = now() where id = ${first!}`;
  await app.db.sql`update entities set next_at = now()`;
  assertEquals((await claim(app.db)).map((job) => job.id), [first!]);
});

Deno.test("a delayed job joins its entity when it falls due, and holds nobody before (rule 10)", async () => {
  await using app = await freshApp();
  const late = await enqueue(app.db, { kind: "work", entity: "lead:1", delaySeconds: 3600 });
  assertEquals(await claim(app.db), []);
  const soon = await enqueue(app.db, { kind: "work", entity: "lead:1" });
  const [job] = await claim(app.db);
  assertEquals(job!.id, soon!);
  await settle(app.db, [job!]);
  assertEquals(await claim(app.db), []);
  assertEquals(
    await app.rows`select next_at > now() + interval '59 minutes' as far from entities`,
    [{ far: true }],
  );
  await app.db.sql`update jobs set run_at = now() where id = ${late!}`;
  await app.db.sql`update entities set next_at = now()`;
  assertEquals((await claim(app.db)).map((job) => job.id), [late!]);
});

Deno.test("the newest job of a collapse key runs with its own budget, and makes the older ones superseded (rule 11)", async () => {
  await using app = await freshApp();
  const ids = await make(app, 3, { collapse: "contract:7" });
  const [job] = await claim(app.db, { limit: 5 });
  assertEquals([job!.id, job!.attempts], [ids[2]!, 1]);
  for (const id of ids.slice(0, 2)) assertEquals((await jobOf(app.db, id)).status, "superseded");
  const arrived = await enqueue(app.db, { kind: "work", collapse: "contract:7" });
  assertEquals(await claim(app.db), []);
  assertEquals((await jobOf(app.db, arrived)).status, "pending");
  await settle(app.db, [job!]);
  const [newest] = await claim(app.db);
  assertEquals([newest!.id, newest!.attempts], [arrived!, 1]);
});

Deno.test("the newest job of a collapse key is left to others by a process in which its earlier run has not ended (rule 8)", async () => {
  await using app = await freshApp();
  const [, newest] = await make(app, 2, { collapse: "contract:7" });
  assertEquals(await claim(app.db, { limit: 5, except: [newest!] }), []);
  assertEquals((await claim(app.db, { limit: 5 })).map((job) => job.id), [newest]);
});

Deno.test("an entity whose worker died is held by that job, which waits to run alone", async () => {
  await using app = await freshApp();
  const [first, second] = await make(app, 2, { entity: "lead:1" });
  await claim(app.db);
  await endLeases(app.db);
  await sweepLostJobs(app.db, 10);
  assertEquals(await claim(app.db, { limit: 5 }), []);
  const [again] = await claim(app.db, { quarantined: true });
  assertEquals(again!.id, first!);
  await settle(app.db, [again!]);
  assertEquals((await claim(app.db)).map((job) => job.id), [second!]);
});

Deno.test("an entity whose next job is of a kind that this worker does not know waits for one that does", async () => {
  await using app = await freshApp();
  const [first] = await make(app, 1, { entity: "lead:1" });
  const other = await enqueue(app.db, { kind: "other", entity: "lead:1" });
  const [job] = await claim(app.db);
  assertEquals(job!.id, first!);
  await settle(app.db, [job!]);
  assertEquals(await claim(app.db), []);
  assertEquals((await claim(app.db, { kinds: ["other"] })).map((job) => job.id), [other!]);
});

Deno.test("an entity without jobs leaves nothing behind, and one that gets a job meanwhile keeps it", async () => {
  await using app = await freshApp({ connection: { max: 10 } });
  for (let round = 0; round < 30; round++) {
    await make(app, 1, { entity: "lead:1" });
    const [job] = await claim(app.db);
    const [, id] = await Promise.all([
      settle(app.db, [job!]),
      enqueue(app.db, { kind: "work", entity: "lead:1" }),
      claim(app.db),
    ]);
    let next = await claim(app.db);
    if (next.length === 0) {
      next = await app.db.sql`select id, claims from jobs where status = 'running'` as typeof next;
    }
    assertEquals(next.map((job) => job.id), [id!]);
    await settle(app.db, next);
  }
  assertEquals(await claim(app.db), []);
  assertEquals(await app.rows`select entity from entities`, []);
});

Deno.test("a claim finds entities by an index, so those that sleep cost it nothing, whatever the statistics say", async () => {
  await using app = await freshApp();
  const seen: string[] = [];
  const explained: Queries = {
    sql: app.queueDb.sql,
    async run(statement) {
      const lines = await app.queueDb.sql`explain ${statement}`;
      seen.push(...lines.map((line) => line["QUERY PLAN"]));
      return Object.assign([], { count: 0 }) as never;
    },
  };
  await claim(explained);
  const plan = seen.join("\n");
  assertMatch(plan, /entities_ready[^]*Index Cond: .*kind.*next_at/);
  assertMatch(plan, /jobs_ready[^]*Index Cond: .*kind.*run_at/);
  assertEquals(plan.match(/Seq Scan on jobs/), null);
});

async function make(app: TestApp, count: number, job: Partial<NewJob> = {}): Promise<string[]> {
  const ids = await insertJobs(
    app.db,
    Array.from({ length: count }, () => jobRow({ kind: "work", ...job })),
  );
  return ids.map((id) => id!);
}
