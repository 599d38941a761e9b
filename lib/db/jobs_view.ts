/**
 * Jobs as an operator sees them: the reads of the table `jobs`.
 * @module
 */
import type { Reason, Status } from "../contract.ts";
import type { Queries, Sql } from "./db.ts";

/** A job with its whole history. Times are for reading, they have lost their microseconds. */
export interface JobView {
  readonly id: string;
  readonly kind: string;
  /** JSON text, exactly as stored. */
  readonly payload: string;
  readonly status: Status;
  readonly reason: Reason | null;
  readonly priority: number;
  readonly attempts: number;
  readonly maxAttempts: number;
  readonly claims: number;
  readonly lost: number;
  readonly runAt: Date;
  readonly lockedUntil: Date | null;
  readonly lockedBy: string | null;
  readonly lastError: string | null;
  readonly result: string | null;
  readonly key: string | null;
  readonly entity: string | null;
  /** Whether the entity is a collapse key. */
  readonly collapses: boolean;
  /** The newer job that made this one pointless. */
  readonly supersededBy: string | null;
  readonly eventId: string | null;
  readonly createdAt: Date;
  readonly startedAt: Date | null;
  readonly finishedAt: Date | null;
  /** When retention emptied it; it cannot be retried any more. */
  readonly payloadRemovedAt: Date | null;
}

const columns = (sql: Sql) =>
  sql`id, kind, payload::text as payload, status, reason, priority, attempts, max_attempts as "maxAttempts",
    claims, lost, run_at as "runAt", locked_until as "lockedUntil", locked_by as "lockedBy",
    last_error as "lastError", result, key, entity, collapses, superseded_by as "supersededBy", event_id as "eventId", created_at as "createdAt",
    started_at as "startedAt", finished_at as "finishedAt", payload_removed_at as "payloadRemovedAt"`;

/** One job. */
export async function getJob(db: Queries, id: string): Promise<JobView | undefined> {
  const [job] = await db.run(db.sql<JobView[]>`
    select ${columns(db.sql)} from jobs where id = ${id}::bigint
  `);
  return job;
}

/** The newest jobs first. */
export async function listJobs(
  db: Queries,
  filter: { status?: Status; kind?: string; limit: number },
): Promise<JobView[]> {
  const { status = null, kind = null, limit } = filter;
  return await db.run(db.sql<JobView[]>`
    select ${columns(db.sql)} from jobs
    where (${status}::text is null or status = ${status}) and (${kind}::text is null or kind = ${kind})
    order by id desc limit ${limit}
  `);
}

/** Whether there is any job of a kind, in whatever state. It may read all jobs: for a person, now and then. */
export async function hasJobs(db: Queries, kind: string): Promise<boolean> {
  const rows = await db.run(db.sql`select from jobs where kind = ${kind} limit 1`);
  return rows.length > 0;
}

/** The jobs given up last, first. */
export async function listFailedJobs(
  db: Queries,
  filter: { kind?: string; limit: number },
): Promise<JobView[]> {
  const { kind = null, limit } = filter;
  return await db.run(db.sql<JobView[]>`
    select ${columns(db.sql)} from jobs
    where status = 'failed' and (${kind}::text is null or kind = ${kind})
    order by finished_at desc, id desc limit ${limit}
  `);
}

/** The jobs that grew from an event, in order. */
export async function listJobsOfEvent(db: Queries, eventId: string): Promise<JobView[]> {
  return await db.run(db.sql<JobView[]>`
    select ${columns(db.sql)} from jobs where event_id = ${eventId}::bigint order by id
  `);
}

/** The jobs of a kind with this text in a field of their payload, in order. It reads all jobs: for a person, now and then. */
export async function listJobsOfPayload(
  db: Queries,
  { kind, field, value }: { kind: string; field: string; value: string },
): Promise<JobView[]> {
  return await db.run(db.sql<JobView[]>`
    select ${
    columns(db.sql)
  } from jobs where kind = ${kind} and payload ->> ${field} = ${value} order by id
  `);
}
