/**
 * The table `jobs`, as seen by whoever makes jobs. Workers take and end them through `claims.ts`.
 * @module
 */
import { storedKey } from "../base/text.ts";
import type { NewJob } from "../contract.ts";
import { arrayLiteral, type Fragment, type Queries, type Sql } from "./db.ts";
import { queueEntities } from "./entities.ts";

/** The channel on which workers are told to look. */
export const CHANNEL = "hookwork_jobs";
const DEFAULT_MAX_ATTEMPTS = 8;
const DEFAULT_PRIORITY = 1;

/** A job ready to be stored. */
export interface JobRow {
  readonly kind: string;
  readonly payload: string;
  readonly key: string | null;
  readonly priority: number;
  readonly maxAttempts: number;
  readonly runAt: string | null;
  readonly delaySeconds: number;
  readonly eventId: string | null;
  readonly entity: string | null;
  readonly collapses: boolean;
}

/** Puts a job into the form of the table. */
export function jobRow(job: NewJob, eventId: string | null = null): JobRow {
  return {
    kind: job.kind,
    payload: JSON.stringify(job.payload ?? {}),
    key: job.key === undefined ? null : storedKey(job.key),
    priority: job.priority ?? DEFAULT_PRIORITY,
    maxAttempts: job.maxAttempts ?? DEFAULT_MAX_ATTEMPTS,
    runAt: job.runAt?.toISOString() ?? null,
    delaySeconds: job.delaySeconds ?? 0,
    eventId,
    entity: entityOf(job),
    collapses: job.collapse !== undefined,
  };
}

/** A collapse key is an entity too: what it makes pointless must not run beside it. */
function entityOf({ kind, entity, collapse }: NewJob): string | null {
  if (collapse !== undefined && entity !== undefined && collapse !== entity) {
    throw new TypeError(
      `Cannot make a job of kind "${kind}": its collapse key is its entity; leave entity out, or give both the same value`,
    );
  }
  const name = collapse ?? entity;
  return name === undefined ? null : storedKey(name);
}

/** Part of a statement: jobs to be made, as a table `job`; `delivery` is the place of their delivery in the same statement. */
export function newJobRows(sql: Sql, jobs: readonly (JobRow & { delivery?: number })[]): Fragment {
  const column = (
    value: (job: JobRow & { delivery?: number }) => string | number | boolean | null,
  ) => arrayLiteral(jobs.map(value));
  return sql`unnest(
    ${column((j) => j.delivery ?? null)}::bigint[], ${column((j) => j.eventId)}::bigint[],
    ${column((j) => j.kind)}::text[], ${column((j) => j.payload)}::text[],
    ${column((j) => j.key)}::text[], ${column((j) => j.priority)}::smallint[],
    ${column((j) => j.maxAttempts)}::integer[], ${column((j) => j.runAt)}::timestamptz[],
    ${column((j) => j.delaySeconds)}::float8[], ${column((j) => j.entity)}::text[],
    ${column((j) => j.collapses)}::boolean[]
  ) with ordinality as job (
    delivery, of_event, kind, payload, key, priority, max_attempts, run_at, delay_seconds, entity, collapses,
    position
  )`;
}

/** Part of a statement: makes the jobs of the table `new_jobs`. In the order of their keys, or overlapping batches deadlock. */
export function insertJobRows(sql: Sql): Fragment {
  return sql`
    insert into jobs (id, kind, payload, key, priority, max_attempts, run_at, event_id, entity, collapses)
    select id, kind, payload::json, key, priority, max_attempts,
      coalesce(run_at, now() + make_interval(secs => delay_seconds)), event_id, entity, collapses
    from new_jobs order by key
    on conflict (key) where key is not null do nothing
    returning id, event_id, kind, priority, run_at, entity`;
}

/** Part of a statement: tells the workers to look, once for all rows of the table `made`; only polling guarantees. */
export function notifyWorkers(sql: Sql): Fragment {
  return sql`select pg_notify(${CHANNEL}, '') from (select from made limit 1) as any_made`;
}

/** Makes jobs; each one's id, or null when its key is taken. Also inside a caller's transaction: `inTransaction(sql)`. */
export async function insertJobs(db: Queries, jobs: readonly JobRow[]): Promise<(string | null)[]> {
  const { sql } = db;
  const rows = await db.run(sql<{ id: string | null }[]>`
    with new_jobs as materialized (
      select nextval('jobs_id_seq') as id, of_event as event_id, job.* from ${newJobRows(sql, jobs)}
    ), made as (${insertJobRows(sql)}), queued as (${queueEntities(sql)}), told as (${
    notifyWorkers(sql)
  })
    select made.id from new_jobs left join made on made.id = new_jobs.id left join told on true
    order by new_jobs.position
  `);
  return rows.map((row) => row.id);
}

/** Makes one job; its id, or undefined when its key is taken. */
export async function enqueue(
  db: Queries,
  job: NewJob,
  eventId: string | null = null,
): Promise<string | undefined> {
  const [id] = await insertJobs(db, [jobRow(job, eventId)]);
  return id ?? undefined;
}

/** When the newest job of an entity was made; undefined when there is none, or none any more. */
export async function getNewestJobTime(db: Queries, entity: string): Promise<Date | undefined> {
  const [row] = await db.run(db.sql<{ at: Date | null }[]>`
    select max(created_at) as at from jobs where entity = ${storedKey(entity)}
  `);
  return row!.at ?? undefined;
}

/** Gives a job a fresh budget; its history (claims, last error) stays. A job that is done only with `again`. Undefined when it stays as it is. */
export async function retryJob(
  db: Queries,
  id: string,
  { again = false }: { again?: boolean } = {},
): Promise<string | undefined> {
  const { sql } = db;
  const [row] = await db.run(sql<{ id: string }[]>`
    with turn as materialized (
      select from entities where entity = (select entity from jobs where id = ${id}::bigint) for update
    ), made as (
      update jobs set status = 'pending', reason = null, attempts = 0, lost = 0, run_at = now(),
        pauses = 0, held_since = null, superseded_by = null, finished_at = null, locked_until = null, locked_by = null
      -- The entity first: a claim locks in this order too.
      where id = ${id}::bigint and status <> 'running' and (status <> 'done' or ${again}) and (select count(*) from turn) >= 0
      returning id, kind, priority, run_at, entity
    ), queued as (${queueEntities(sql)}), told as (${notifyWorkers(sql)})
    select id from made left join told on true
  `);
  return row?.id;
}
