/** What a queue's past costs a claim: the pages it touches, which no busy machine can blur as it does the time. */

import { assert, assertEquals, assertLess, assertStringIncludes } from "@std/assert";
import { claimJobs } from "../../lib/db/claim.ts";
import type { Queries } from "../../lib/db/db.ts";
import { insertJobs, jobRow } from "../../lib/db/jobs.ts";
import { getLongestTransaction } from "../../lib/db/server.ts";
import { judgeTransaction } from "../../lib/flow/doctor_database.ts";
import { freshApp, type TestApp } from "../support/app.ts";
import { claim, settle } from "../support/jobs.ts";

const DUE = 100;
const ROUNDS = 10;
const PER_ROUND = 500;

Deno.test("finished and future jobs by the hundred thousand cost a claim next to nothing, also when the statistics are stale (F087)", async () => {
  await using app = await freshApp();
  await makeDue(app, 3 * DUE);
  const alone = await costOfClaim(app);
  await app.rows`
    insert into jobs (kind, status, run_at, finished_at)
    select 'work', 'done', now() - n * interval '1 second', now() from generate_series(1, 100000) as n`;
  await app.rows`
    insert into jobs (kind, priority, run_at)
    select 'work', n % 4, now() + n * interval '1 second' from generate_series(1, 20000) as n`;
  const stale = await costOfClaim(app);
  await app.rows`vacuum analyze jobs`;
  const fresh = await costOfClaim(app);
  for (const { pages, plan } of [stale, fresh]) {
    assertLess(pages, 2 * alone.pages, plan);
    assert(plan.includes('"jobs_ready"'), plan);
    assert(!/"Seq Scan"[^{}]*"Relation Name":"jobs"/.test(plan), plan);
  }
});

Deno.test("a transaction that is held open makes claims dearer little by little, the doctor names it, and all is well after it (F088)", async () => {
  await using app = await freshApp({ connection: { max: 6 } });
  await app.rows`alter table jobs set (autovacuum_enabled = false)`;
  await makeDue(app, DUE);
  const { pages: before } = await costOfClaim(app);
  await app.db.sql.begin("isolation level repeatable read", async (sql) => {
    const [holder] = await sql`select pg_backend_pid() as pid`;
    for (let round = 0; round < ROUNDS; round++) {
      await makeDue(app, PER_ROUND);
      await settle(app.db, await claim(app.db, { limit: PER_ROUND }));
    }
    // A page more for each ten jobs that were finished behind it would still be mild.
    assertLess((await costOfClaim(app)).pages, before + ROUNDS * PER_ROUND / 10);
    const open = await getLongestTransaction(app.db);
    const inAnHour = judgeTransaction(open && { ...open, seconds: open.seconds + 3600 }, 0);
    assertEquals(inAnHour.level, "bad");
    assertStringIncludes(inAnHour.detail, `Session ${holder!.pid} `);
  });
  await app.rows`vacuum jobs`;
  await makeDue(app, DUE);
  assertLess((await costOfClaim(app)).pages, 2 * before);
});

/** How many pages one claim touches, in memory or not, and how it finds its way. */
async function costOfClaim(app: TestApp): Promise<{ pages: number; plan: string }> {
  const cost = { pages: NaN, plan: "" };
  const explaining: Queries = {
    sql: app.db.sql,
    async run(statement) {
      const [row] = await app.db.sql`explain (analyze, buffers, format json) ${statement as never}`;
      const [{ Plan: plan }] = row!["QUERY PLAN"];
      cost.plan = JSON.stringify(plan);
      cost.pages = plan["Shared Hit Blocks"] + plan["Shared Read Blocks"];
      return [] as never;
    },
  };
  const kinds = [{ kind: "work", lane: null, leaseSeconds: 60 }];
  const request = { worker: "test", limit: 10, kinds, except: [], quarantined: false };
  await claimJobs(explaining, request);
  return cost;
}

async function makeDue(app: TestApp, count: number): Promise<void> {
  await insertJobs(app.db, Array.from({ length: count }, () => jobRow({ kind: "work" })));
}
