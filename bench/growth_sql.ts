/**
 * Tables with a past and a future: the SQL of the growth bench.
 * @module
 */
import postgres from "postgres";
import { claimJobs } from "../lib/db/claim.ts";
import { inTransaction } from "../lib/db/db.ts";
import { quantile } from "./statistics.ts";

const CLAIMS = 20;
const CLAIM_LIMIT = 100;

/** Jobs that were done over the last month. */
export async function fillFinished(sql: postgres.Sql, jobs: number): Promise<void> {
  await sql`
    insert into jobs (kind, payload, status, attempts, claims, run_at, created_at, started_at, finished_at)
    select 'bench', '{"ms": 0}', 'done', 1, 1, at, at, at, at
    from generate_series(1, ${jobs}::int) as n,
      lateral (select now() - interval '30 days' * (n / ${jobs}::float8) as at) as moment
  `;
}

/** Jobs that fall due next month, of the highest priority: they stand before all that is due. */
export async function fillFuture(sql: postgres.Sql, jobs: number): Promise<void> {
  await sql`
    insert into jobs (kind, payload, priority, run_at)
    select 'bench', '{"ms": 0}', 0, now() + interval '30 days' * (1 + n / ${jobs}::float8)
    from generate_series(1, ${jobs}::int) as n
  `;
}

/** Jobs of one entity, whose first one waits for its next attempt for a day: the others wait for it. */
export async function fillLongEntity(sql: postgres.Sql, followers: number): Promise<void> {
  await sql`
    with made as (
      insert into jobs (kind, payload, entity, attempts, run_at)
      select 'bench', '{"ms": 0}', 'lead:1', (n = 0)::int, now() + (n = 0)::int * interval '1 day'
      from generate_series(0, ${followers}::int) as n
      returning id, run_at
    )
    insert into entities (entity, job_id, next_at, kind, priority)
    select 'lead:1', id, run_at, 'bench', 1 from made order by id limit 1
  `;
}

/** Due jobs of a kind whose lane a person has paused. */
export async function fillPausedLane(sql: postgres.Sql, jobs: number): Promise<void> {
  await sql`insert into lanes (name, since, paused_until, reason) values ('bench', now(), 'infinity', 'the bench')`;
  await sql`
    insert into jobs (kind, payload) select 'bench.in_lane', '{"ms": 0}' from generate_series(1, ${jobs}::int)
  `;
}

/** Leaves the planner with what it knows now, whatever is inserted later; dead rows are still cleared away. */
export async function keepStatistics(sql: postgres.Sql): Promise<void> {
  await sql`analyze jobs`;
  await sql`alter table jobs set (autovacuum_analyze_threshold = 2000000000)`;
}

/** Holds a snapshot, as a forgotten session or a long backup does: no dead row since then can be cleared away. */
export async function holdSnapshot(url: string): Promise<AsyncDisposable> {
  const sql = postgres(url, { max: 1, fetch_types: false });
  await sql`begin isolation level repeatable read`.simple();
  await sql`select count(*) from events`;
  return { [Symbol.asyncDispose]: () => sql.end({ timeout: 1 }) };
}

/** The median time of a claim, by the product's own statement, in milliseconds; what it took is given back. */
export async function claimMs(url: string): Promise<number> {
  const sql = postgres(url, { max: 1, fetch_types: false });
  const times: number[] = [];
  try {
    for (let claim = 0; claim < CLAIMS; claim++) await sql.begin((sql) => timeClaim(sql, times));
  } finally {
    await sql.end({ timeout: 1 });
  }
  return quantile(times, 0.5);
}

async function timeClaim(sql: postgres.TransactionSql, times: number[]): Promise<void> {
  await sql`savepoint before`;
  const beganMs = performance.now();
  await claimJobs(inTransaction(sql), {
    worker: "bench",
    limit: CLAIM_LIMIT,
    kinds: [
      { kind: "bench", lane: null, leaseSeconds: 60 },
      { kind: "bench.in_lane", lane: "bench", leaseSeconds: 60 },
    ],
    except: [],
    quarantined: false,
  });
  times.push(performance.now() - beganMs);
  await sql`rollback to savepoint before`;
}
