/**
 * The table `retention`, and the statements that take old rows away: each is one small batch, done whole or not at all.
 *
 * A batch looks for the oldest rows first, then locks them in the order of their ids, skips those that others hold, and
 * looks at their state once more: a job that was retried a moment ago is not finished any more.
 * @module
 */
import type { Status } from "../contract.ts";
import type { Fragment, Queries, Sql } from "./db.ts";

/** How long the turn stays with a worker that is not heard of any more. */
const TURN_SECONDS = 30;

/** Who cleans up, and how many rows at most. */
export interface BatchRequest {
  readonly worker: string;
  readonly limit: number;
}

/** What a batch did. */
export interface Batch {
  /** False when another worker has the turn; then nothing was done. */
  readonly ours: boolean;
  readonly rows: number;
}

/** Part of a statement: takes or prolongs the turn. A table and not a lock, which a pool or a pooler could not keep between batches. */
function takeTurn(sql: Sql, worker: string): Fragment {
  return sql`
    update retention set held_by = ${worker}, held_until = now() + make_interval(secs => ${TURN_SECONDS})
    where held_by = ${worker} or held_until < now()
    returning held_by`;
}

/** The last line of each batch, over the rows of `held`. */
function countBatch(sql: Sql): Fragment {
  return sql`select exists (select from turn) as ours, (select count(*)::int from held) as rows`;
}

/**
 * Takes finished jobs in one state away, `days` after they finished.
 *
 * One with a key is only emptied before `keyDays` are over: what must happen once for good would else happen again. The row
 * then tells that it was done and nothing of whom it was about.
 */
export async function removeFinishedJobs(
  db: Queries,
  request: BatchRequest & {
    status: Extract<Status, "done" | "failed" | "superseded">;
    days: number;
    keyDays: number;
  },
): Promise<Batch> {
  const { sql } = db;
  const { worker, limit, status, days, keyDays } = request;
  const [batch] = await db.run(sql<Batch[]>`
    with turn as (${takeTurn(sql, worker)}), old as materialized (
      select id from jobs
      where status = ${status} and payload_removed_at is null
        and finished_at < now() - make_interval(days => ${days}::integer)
        and exists (select from turn)
      order by finished_at limit ${limit}
    ), held as materialized (
      select id, key is not null and finished_at >= now() - make_interval(days => ${keyDays}::integer) as taken
      from jobs where id = any(array(select id from old)) and status = ${status}
      order by id for update skip locked
    ), deleted as (
      delete from jobs using held where jobs.id = held.id and not held.taken
    ), emptied as (
      update jobs set payload = '{}', last_error = null, result = null, payload_removed_at = now()
      from held where jobs.id = held.id and held.taken
    ) ${countBatch(sql)}
  `);
  return batch!;
}

/** Deletes emptied jobs `keyDays` after they finished: their keys are free from then on. */
export async function removeEmptiedJobs(
  db: Queries,
  { worker, limit, keyDays }: BatchRequest & { keyDays: number },
): Promise<Batch> {
  const { sql } = db;
  const [batch] = await db.run(sql<Batch[]>`
    with turn as (${takeTurn(sql, worker)}), old as materialized (
      select id from jobs
      where payload_removed_at is not null
        and finished_at < now() - make_interval(days => ${keyDays}::integer)
        and exists (select from turn)
      order by finished_at limit ${limit}
    ), held as materialized (
      select id from jobs where id = any(array(select id from old)) order by id for update skip locked
    ), deleted as (
      delete from jobs using held where jobs.id = held.id
    ) ${countBatch(sql)}
  `);
  return batch!;
}

/** Forgets lanes that nothing is known of, and parts of lanes whatever they asked for, once nobody has used them for a day. */
export async function removeIdleLanes(
  db: Queries,
  { worker, limit }: BatchRequest,
): Promise<Batch> {
  const { sql } = db;
  const [batch] = await db.run(sql<Batch[]>`
    with turn as (${takeTurn(sql, worker)}), held as materialized (
      select name from lanes
      where next_at < now() - interval '1 day' and exists (select from turn)
        and (since is null or (strpos(name, ':') > 0 and paused_until < now() - interval '1 day'))
      order by name limit ${limit} for update skip locked
    ), deleted as (
      delete from lanes using held where lanes.name = held.name
    ) ${countBatch(sql)}
  `);
  return batch!;
}

/**
 * Removes the bodies of events `days` after they were received, but none that an unfinished job may still ask for.
 *
 * `offset 0` has the jobs of each event looked up by themselves: without it the planner may read the whole table of jobs.
 * The lock is the weaker one, which lets others make jobs of these events meanwhile.
 */
export async function removeBodies(
  db: Queries,
  { worker, limit, days }: BatchRequest & { days: number },
): Promise<Batch> {
  const { sql } = db;
  const [batch] = await db.run(sql<Batch[]>`
    with turn as (${takeTurn(sql, worker)}), old as materialized (
      select id from events
      where body is not null and received_at < now() - make_interval(days => ${days}::integer)
        and not exists (select from jobs where event_id = events.id and finished_at is null offset 0)
        and exists (select from turn)
      order by received_at limit ${limit}
    ), held as materialized (
      select id from events where id = any(array(select id from old)) and body is not null
      order by id for no key update skip locked
    ), emptied as (
      update events set body = null, body_removed_at = now() from held where events.id = held.id
    ) ${countBatch(sql)}
  `);
  return batch!;
}

/** Deletes events without a body `keyDays` after they were received, once no job refers to them: a repeat is new from then on. */
export async function removeEvents(
  db: Queries,
  { worker, limit, keyDays }: BatchRequest & { keyDays: number },
): Promise<Batch> {
  const { sql } = db;
  const [batch] = await db.run(sql<Batch[]>`
    with turn as (${takeTurn(sql, worker)}), old as materialized (
      select id from events
      where body is null and received_at < now() - make_interval(days => ${keyDays}::integer)
        and not exists (select from jobs where event_id = events.id offset 0)
        and exists (select from turn)
      order by received_at limit ${limit}
    ), held as materialized (
      select id from events where id = any(array(select id from old)) order by id for update skip locked
    ), deleted as (
      delete from events using held where events.id = held.id
    ) ${countBatch(sql)}
  `);
  return batch!;
}

/** Notes that nothing old is left. */
export async function completeRetention(db: Queries, worker: string): Promise<void> {
  await db.run(db.sql`
    update retention set completed_at = now(), held_until = now() where held_by = ${worker}
  `);
}

/** When the body of an event was removed; null while it is there, and for an event that is not. */
export async function getBodyRemovedAt(db: Queries, eventId: string): Promise<Date | null> {
  const [row] = await db.run(db.sql<{ at: Date | null }[]>`
    select body_removed_at as at from events where id = ${eventId}::bigint
  `);
  return row?.at ?? null;
}

/** How long ago a worker last came to the end of what was old. */
export async function getRetentionSeconds(db: Queries): Promise<number> {
  const [row] = await db.run(db.sql<{ seconds: number }[]>`
    select extract(epoch from now() - completed_at)::float8 as seconds from retention
  `);
  return row!.seconds;
}
