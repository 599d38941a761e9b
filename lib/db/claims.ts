/**
 * What becomes of claims: they are prolonged, settled, and taken from workers that died.
 * @module
 */
import type { Job, Reason, Status } from "../contract.ts";
import { countGivenUp } from "./alerts.ts";
import { arrayLiteral, type Queries } from "./db.ts";
import { releaseEntities } from "./entities.ts";
import { notifyWorkers } from "./jobs.ts";

/** How often a worker may die with a job before it is given up. */
const MAX_LOST = 3;

/** One claim of a job: the right to settle it. */
export type Claim = Pick<Job, "id" | "claims">;

/** Prolongs leases; returns the claims that still hold, also those whose rows somebody else has locked at this moment. */
export async function renewLeases(
  db: Queries,
  claims: readonly (Claim & { leaseSeconds: number })[],
): Promise<(Claim & { renewed: boolean })[]> {
  const { sql } = db;
  return await db.run(sql<(Claim & { renewed: boolean })[]>`
    with given as materialized (
      select of_job, of_claim, lease from unnest(
        ${arrayLiteral(claims.map((c) => c.id))}::bigint[], ${
    arrayLiteral(claims.map((c) => c.claims))
  }::integer[],
        ${arrayLiteral(claims.map((c) => c.leaseSeconds))}::float8[]
      ) as given (of_job, of_claim, lease)
    ), held as materialized (
      select found.id, given.of_claim as claims, given.lease
      from given cross join lateral (
        select id from jobs where id = of_job and claims = of_claim and locked_until is not null
      ) as found
    ), free as materialized (
      -- One row that somebody keeps locked must not cost the others their leases.
      select id from jobs where id in (select id from held) order by id for update skip locked
    ), renewed as (
      -- Never shorter than an effect under way has made it.
      update jobs set locked_until = greatest(locked_until, clock_timestamp() + make_interval(secs => held.lease))
      from held, free
      where jobs.id = held.id and free.id = held.id and jobs.claims = held.claims and jobs.status = 'running'
      returning jobs.id
    )
    select held.id, held.claims, renewed.id is not null as renewed from held left join renewed using (id)
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
  /** Lets the other jobs of its entity go on while it waits, for `pending`. */
  readonly stepsAside: boolean;
  readonly error: string | null;
  readonly result: string | null;
  /** When a lane holds the job: how many pauses in a row its own calls have caused; null when none does. */
  readonly pauses: number | null;
}

/**
 * Ends claims; returns those that still held. A job given up is counted in `alerts` by the same statement.
 *
 * One look at the primary key for each given row, in the order of the ids. As a plain join the planner, who thinks that nothing is
 * running, compares every given row with every running one; `locked_until is not null` says the same as `status = 'running'` and
 * keeps it from the index that leads it there.
 */
export async function settleJobs(
  db: Queries,
  ended: readonly (Claim & Transition)[],
): Promise<Claim[]> {
  const { sql } = db;
  const column = (value: (item: Claim & Transition) => string | number | boolean | null) =>
    arrayLiteral(ended.map(value));
  return await db.run(sql<Claim[]>`
    with given as materialized (
      select of_job, of_claim, to_status, why, delay, refund, error, said, aside, paused from unnest(
        ${column((e) => e.id)}::bigint[], ${column((e) => e.claims)}::integer[],
        ${column((e) => e.status)}::text[], ${column((e) => e.reason)}::text[],
        ${column((e) => e.delaySeconds)}::float8[], ${column((e) => e.refund)}::boolean[],
        ${column((e) => e.error)}::text[], ${column((e) => e.result)}::text[],
        ${column((e) => e.stepsAside)}::boolean[], ${column((e) => e.pauses)}::integer[]
      ) as given (of_job, of_claim, to_status, why, delay, refund, error, said, aside, paused)
      order by of_job
    ), held as materialized (
      select found.id, given.* from given cross join lateral (
        select id from jobs where id = of_job and claims = of_claim and locked_until is not null for update
      ) as found
    ), settled as (
      update jobs set status = to_status, reason = why, locked_until = null, locked_by = null,
        attempts = attempts - refund::integer,
        run_at = case when to_status = 'pending' then now() + make_interval(secs => delay) else run_at end,
        finished_at = case when to_status = 'pending' then null else now() end,
        last_error = coalesce(error, last_error), result = said,
        pauses = coalesce(paused, 0), held_since = case when paused is not null then coalesce(held_since, now()) end
      from held where jobs.id = held.id
      returning jobs.id, jobs.kind, jobs.claims, jobs.status, jobs.reason, jobs.last_error, jobs.entity,
        jobs.priority, jobs.run_at, jobs.lost, held.aside as steps_aside
    ), ${releaseEntities(sql, sql`settled`)}, probed as (
      update lanes set probe_until = null from settled where lanes.probe = settled.id and probe_until is not null
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
      returning jobs.id, jobs.kind, jobs.status, jobs.reason, jobs.lost, jobs.last_error, jobs.entity,
        jobs.priority, jobs.run_at, false as steps_aside
    ), ${releaseEntities(sql, sql`made`)}, counted as (${countGivenUp(sql, sql`made`)}), told as (${
    notifyWorkers(sql)
  })
    select id, kind, status, lost from made left join told on true
  `);
}
