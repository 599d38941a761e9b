/**
 * The table `jobs`, as seen by workers: jobs are claimed, prolonged, settled, and taken from workers that died.
 * @module
 */
import type { Job, Reason, Status } from "../contract.ts";
import { countGivenUp } from "./alerts.ts";
import { arrayLiteral, type Queries } from "./db.ts";
import { notifyWorkers } from "./jobs.ts";

/** How often a worker may die with a job before it is given up. */
const MAX_LOST = 3;

/** What a worker asks for. */
export interface ClaimRequest {
  readonly worker: string;
  readonly limit: number;
  /** The kinds that this worker knows, and how long a claim of each holds. */
  readonly kinds: readonly { readonly kind: string; readonly leaseSeconds: number }[];
  /** Jobs whose earlier run in this process has not ended yet. */
  readonly except: readonly string[];
  /** Whether to take jobs with which a worker died (they run alone), or the others. */
  readonly quarantined: boolean;
}

/**
 * Takes due jobs, highest priority first, at most `limit`.
 *
 * A CTE and not a subquery of the update: that one may run again for each row and take more than its limit.
 * One scan for each priority: a single ordered index would have to walk over all future rows of the higher ones.
 * The scans are lazy: with no sort above them the outer limit stops locking rows as soon as it is reached.
 */
export async function claimJobs(db: Queries, request: ClaimRequest): Promise<Job[]> {
  const { sql } = db;
  const lost = request.quarantined ? sql`lost > 0` : sql`lost = 0`;
  return await db.run(sql<Job[]>`
    with known as materialized (
      select kind, lease from unnest(
        ${arrayLiteral(request.kinds.map((k) => k.kind))}::text[],
        ${arrayLiteral(request.kinds.map((k) => k.leaseSeconds))}::float8[]
      ) as known (kind, lease)
    ), due as materialized (
      select ready.id from generate_series(0, 3) as level (priority) cross join lateral (
        select id from jobs
        where status = 'pending' and ${lost} and priority = level.priority and run_at <= now()
          and kind = any(${arrayLiteral(request.kinds.map((k) => k.kind))}::text[])
          and id <> all(${arrayLiteral(request.except)}::bigint[])
        order by run_at, id limit ${request.limit} for update skip locked
      ) as ready
      limit ${request.limit}
    )
    update jobs set status = 'running', attempts = attempts + 1, claims = claims + 1,
      locked_until = clock_timestamp() + make_interval(secs => known.lease),
      locked_by = ${request.worker}, started_at = clock_timestamp()
    from due, known
    where jobs.id = due.id and known.kind = jobs.kind
    returning jobs.id, jobs.kind, payload::text as payload, event_id as "eventId", key, attempts,
      max_attempts as "maxAttempts", claims, lost
  `);
}

/** One claim of a job: the right to settle it. */
export type Claim = Pick<Job, "id" | "claims">;

/** Prolongs leases; returns the claims that still hold. */
export async function renewLeases(
  db: Queries,
  claims: readonly (Claim & { leaseSeconds: number })[],
): Promise<Claim[]> {
  const { sql } = db;
  const ids = arrayLiteral(claims.map((c) => c.id));
  return await db.run(sql<Claim[]>`
    with held as materialized (
      select jobs.id, given.claims, given.lease
      from jobs join unnest(
        ${ids}::bigint[], ${arrayLiteral(claims.map((c) => c.claims))}::integer[],
        ${arrayLiteral(claims.map((c) => c.leaseSeconds))}::float8[]
      ) as given (id, claims, lease) on given.id = jobs.id and given.claims = jobs.claims
      where jobs.id = any(${ids}::bigint[]) and jobs.status = 'running'
      order by jobs.id for update of jobs
    )
    update jobs set locked_until = clock_timestamp() + make_interval(secs => held.lease)
    from held where jobs.id = held.id
    returning jobs.id, jobs.claims
  `);
}

/** How a claim ends. */
export interface Transition {
  readonly status: Extract<Status, "done" | "failed" | "pending">;
  readonly reason: Reason | null;
  /** When it may be claimed again, for `pending`. */
  readonly delaySeconds: number;
  /** Gives the attempt back: the job was interrupted, it did not fail. */
  readonly refund: boolean;
  readonly error: string | null;
  readonly result: string | null;
}

/**
 * Ends claims; returns those that still held. A job given up is counted in `alerts` by the same statement.
 *
 * `id = any(…)` walks the primary key; a join with the given rows alone lets the planner read the whole table.
 */
export async function settleJobs(
  db: Queries,
  ended: readonly (Claim & Transition)[],
): Promise<Claim[]> {
  const { sql } = db;
  const column = (value: (item: Claim & Transition) => string | number | boolean | null) =>
    arrayLiteral(ended.map(value));
  const ids = column((e) => e.id);
  return await db.run(sql<Claim[]>`
    with held as materialized (
      select jobs.id, given.*
      from jobs join unnest(
        ${ids}::bigint[], ${column((e) => e.claims)}::integer[], ${column((e) => e.status)}::text[],
        ${column((e) => e.reason)}::text[], ${column((e) => e.delaySeconds)}::float8[],
        ${column((e) => e.refund)}::boolean[], ${column((e) => e.error)}::text[],
        ${column((e) => e.result)}::text[]
      ) as given (of_job, of_claim, to_status, why, delay, refund, error, said)
        on given.of_job = jobs.id and given.of_claim = jobs.claims
      where jobs.id = any(${ids}::bigint[]) and jobs.status = 'running'
      order by jobs.id for update of jobs
    ), settled as (
      update jobs set status = to_status, reason = why, locked_until = null, locked_by = null,
        attempts = attempts - refund::integer,
        run_at = case when to_status = 'pending' then now() + make_interval(secs => delay) else run_at end,
        finished_at = case when to_status = 'pending' then null else now() end,
        last_error = coalesce(error, last_error), result = said
      from held where jobs.id = held.id
      returning jobs.id, jobs.kind, jobs.claims, jobs.status, jobs.reason, jobs.last_error
    ), counted as (${countGivenUp(sql, sql`settled`)})
    select id, claims from settled
  `);
}

/**
 * Returns jobs whose lease ended without a word from their worker, and gives up those that were lost too often.
 * Skips rows that their worker is settling at this moment. Returns what was given back and what was given up.
 */
export async function sweepLostJobs(
  db: Queries,
  limit: number,
): Promise<{ id: string; kind: string; status: Status; lost: number }[]> {
  const { sql } = db;
  return await db.run(sql<{ id: string; kind: string; status: Status; lost: number }[]>`
    with expired as materialized (
      select id, (lost + 1 >= ${MAX_LOST} or attempts >= max_attempts) as hopeless
      from jobs where status = 'running' and locked_until < now()
      order by id limit ${limit} for update skip locked
    ), made as (
      update jobs set lost = lost + 1, locked_until = null, locked_by = null,
        status = case when hopeless then 'failed' else 'pending' end,
        reason = case when hopeless then 'worker_lost' end,
        finished_at = case when hopeless then now() end,
        run_at = now(),
        last_error = 'The worker ' || locked_by || ' was lost while it ran attempt ' || attempts
      from expired where jobs.id = expired.id
      returning jobs.id, jobs.kind, jobs.status, jobs.reason, jobs.lost, jobs.last_error
    ), counted as (${countGivenUp(sql, sql`made`)}), told as (${notifyWorkers(sql)})
    select id, kind, status, lost from made left join told on true
  `);
}
