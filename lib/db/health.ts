/**
 * Questions about the whole queue, for readiness and for alerts.
 * @module
 */
import type { Queries } from "./db.ts";

/** How many seconds the oldest due job has been waiting; 0 when none is due. */
export async function getOldestDueSeconds(db: Queries): Promise<number> {
  const [row] = await db.run(db.sql<{ seconds: number }[]>`
    select greatest(0, coalesce(extract(epoch from now() - min(oldest.run_at)), 0))::float8 as seconds
    from (
      (select min(run_at) as run_at from generate_series(0, 3) as level (priority) cross join lateral (
        select run_at from jobs where status = 'pending' and lost = 0 and priority = level.priority
        order by run_at limit 1) as ready)
      union all
      (select min(run_at) from jobs where status = 'pending' and lost > 0)
    ) as oldest
  `);
  return row?.seconds ?? 0;
}

/** How many jobs are in each state. */
export async function countJobs(db: Queries): Promise<ReadonlyMap<string, number>> {
  const rows = await db.run(db.sql<{ status: string; count: number }[]>`
    select status, count(*)::int as count from jobs group by status
  `);
  return new Map(rows.map((row) => [row.status, row.count]));
}

/** The due jobs of one kind. */
export interface DueKind {
  readonly kind: string;
  readonly count: number;
  /** How long the oldest of them has been waiting. */
  readonly oldestSeconds: number;
}

/** The kinds that have due jobs, the one that waits longest first. */
export async function listDueKinds(db: Queries): Promise<DueKind[]> {
  return await db.run(db.sql<DueKind[]>`
    select kind, count(*)::int as count, extract(epoch from now() - min(run_at))::float8 as "oldestSeconds"
    from jobs where status = 'pending' and run_at <= now()
    group by kind order by min(run_at), kind
  `);
}

/** A job in the hands of a worker. */
export interface RunningJob {
  readonly id: string;
  readonly kind: string;
  readonly lockedBy: string;
  readonly startedAt: Date;
  /** What is left of its lease by the database's clock; negative once it is over. */
  readonly leaseSeconds: number;
}

/** Running jobs, those whose lease ends first at the top. */
export async function listRunningJobs(db: Queries, limit: number): Promise<RunningJob[]> {
  return await db.run(db.sql<RunningJob[]>`
    select id, kind, locked_by as "lockedBy", started_at as "startedAt",
      extract(epoch from locked_until - now())::float8 as "leaseSeconds"
    from jobs where status = 'running' order by locked_until, id limit ${limit}
  `);
}

/** How many jobs were given up in the last hours, and still are. */
export async function countFailedJobs(db: Queries, hours: number): Promise<number> {
  const [row] = await db.run(db.sql<{ count: number }[]>`
    select count(*)::int as count from jobs
    where status = 'failed' and finished_at > now() - make_interval(hours => ${hours}::integer)
  `);
  return row!.count;
}
