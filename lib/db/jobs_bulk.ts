/**
 * The table `jobs`, as seen by an operator who changes it by hand: many jobs are tried again, one is cancelled.
 * @module
 */
import type { Reason } from "../contract.ts";
import { arrayLiteral, type Queries } from "./db.ts";
import { queueEntities, releaseEntities } from "./entities.ts";
import { notifyWorkers } from "./jobs.ts";

/** A job that was given up. */
export interface FailedJob {
  readonly id: string;
  readonly reason: Reason;
}

/** The jobs of one kind that were given up at this instant or later, in the order of their ids; not those that retention has emptied. */
export async function listFailedSince(
  db: Queries,
  { kind, since }: { kind: string; since: Date },
): Promise<FailedJob[]> {
  return await db.run(db.sql<FailedJob[]>`
    select id, reason from jobs
    where status = 'failed' and finished_at >= ${since.toISOString()}::timestamptz
      and kind = ${kind} and payload_removed_at is null
    order by id
  `);
}

/**
 * Gives failed jobs a fresh budget; their history (claims, last error) stays. The first is due `delaySeconds` from now, each
 * further one `pauseSeconds` after the one before. Returns those that still were failed.
 */
export async function retryFailedJobs(
  db: Queries,
  ids: readonly string[],
  { delaySeconds, pauseSeconds }: { delaySeconds: number; pauseSeconds: number },
): Promise<string[]> {
  const { sql } = db;
  const rows = await db.run(sql<{ id: string }[]>`
    with turns as materialized (
      select from entities
      where entity in (select entity from jobs where id = any(${arrayLiteral(ids)}::bigint[]))
      order by entity for update
    ), held as materialized (
      select jobs.id, given.position
      from jobs join unnest(${
    arrayLiteral(ids)
  }::bigint[]) with ordinality as given (of_job, position)
        on given.of_job = jobs.id
      where jobs.id = any(${arrayLiteral(ids)}::bigint[])
        and jobs.status = 'failed' and jobs.payload_removed_at is null
        -- The entities first: a claim locks in this order too.
        and (select count(*) from turns) >= 0
      order by jobs.id for update of jobs
    ), made as (
      update jobs set status = 'pending', reason = null, attempts = 0, lost = 0, pauses = 0,
        held_since = null, finished_at = null,
        run_at = now() + make_interval(secs => ${delaySeconds} + (held.position - 1) * ${pauseSeconds}::float8)
      from held where jobs.id = held.id
      returning jobs.id, kind, priority, run_at, entity
    ), queued as (${queueEntities(sql)}), told as (${notifyWorkers(sql)})
    select made.id from made left join told on true order by made.id
  `);
  return rows.map(({ id }) => id);
}

/**
 * Gives a pending job up as cancelled. False when it was not pending. No alert follows: whoever did this knows.
 *
 * Its entity goes on to the next job, unless it is the turn of another one, which may be running.
 */
export async function cancelJob(db: Queries, id: string): Promise<boolean> {
  const { sql } = db;
  const rows = await db.run(sql`
    with turn as materialized (
      select job_id from entities where entity = (select entity from jobs where id = ${id}::bigint) for update
    ), cancelled as (
      update jobs set status = 'failed', reason = 'cancelled', finished_at = now()
      -- The entity first: a claim locks in this order too.
      where id = ${id}::bigint and status = 'pending' and (select count(*) from turn) >= 0
      returning id, kind, status, entity, priority, run_at, lost, false as steps_aside
    ), ended as materialized (
      select id, kind, status, entity, priority, run_at, lost, steps_aside from cancelled where not exists (select from turn where job_id <> cancelled.id)
    ), ${releaseEntities(sql, sql`ended`)}
    select id from cancelled
  `);
  return rows.length > 0;
}

/** Which of these keys are taken. */
export async function listTakenKeys(db: Queries, keys: readonly string[]): Promise<string[]> {
  const rows = await db.run(db.sql<{ key: string }[]>`
    select key from jobs where key = any(${arrayLiteral(keys)}::text[])
  `);
  return rows.map(({ key }) => key);
}
