/**
 * Questions about the whole queue, for readiness and for alerts.
 * @module
 */
import { arrayLiteral, type Queries } from "./db.ts";

/**
 * How many seconds the oldest due job has been waiting; 0 when none is due. Jobs that wait for another one of their entity are not due,
 * and those of the kinds in `held` wait for their lane.
 *
 * The recursion hops from kind to kind along the index: a minimum over all kinds would read every future row.
 */
export async function getOldestDueSeconds(db: Queries, held: readonly string[]): Promise<number> {
  const others = db.sql`kind <> all(${arrayLiteral(held)}::text[])`;
  const [row] = await db.run(db.sql<{ seconds: number }[]>`
    with recursive kinds (kind) as (
      (select kind from jobs where status = 'pending' and entity is null and lost = 0 order by kind limit 1)
      union all
      select (select kind from jobs where status = 'pending' and entity is null and lost = 0 and kind > kinds.kind
        order by kind limit 1)
      from kinds where kind is not null
    ), oldest (at) as (
      select ready.run_at from kinds, generate_series(0, 3) as level (priority) cross join lateral (
        select run_at from jobs where status = 'pending' and entity is null and lost = 0
          and kind = kinds.kind and ${others} and priority = level.priority order by run_at limit 1) as ready
      union all
      select min(run_at) from jobs where status = 'pending' and entity is null and lost > 0 and ${others}
      union all
      select min(next_at) from entities where next_at < 'infinity' and ${others}
    )
    select coalesce(extract(epoch from now() - min(at)), 0)::float8 as seconds from oldest
    where at <= now() and isfinite(at)
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

/** Jobs of one kind. */
export interface KindCount {
  readonly kind: string;
  readonly count: number;
}

/** The jobs that did not come to an end yet, by kind, the most first. */
export async function countUnfinished(db: Queries): Promise<KindCount[]> {
  return await db.run(db.sql<KindCount[]>`
    select kind, count(*)::int as count from jobs where status in ('pending', 'running')
    group by kind order by count desc, kind
  `);
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

/** Leases that are over although nobody settled the job or took it back. */
export interface ExpiredLeases {
  readonly count: number;
  /** How long the oldest of them has been over; 0 when there is none. */
  readonly oldestSeconds: number;
}

/** The leases that are over at this moment. A few are normal: sweeps come every five seconds. */
export async function getExpiredLeases(db: Queries): Promise<ExpiredLeases> {
  const [row] = await db.run(db.sql<ExpiredLeases[]>`
    select count(*)::int as count,
      coalesce(extract(epoch from now() - min(locked_until)), 0)::float8 as "oldestSeconds"
    from jobs where status = 'running' and locked_until < now()
  `);
  return row!;
}

/** The run that has been under way for the longest. */
export interface LongestRun {
  readonly id: string;
  readonly kind: string;
  readonly lockedBy: string;
  readonly seconds: number;
}

/** The job that has been running for the longest; undefined when none runs. */
export async function getLongestRun(db: Queries): Promise<LongestRun | undefined> {
  const [row] = await db.run(db.sql<LongestRun[]>`
    select id, kind, locked_by as "lockedBy", extract(epoch from now() - started_at)::float8 as seconds
    from jobs where status = 'running' order by started_at, id limit 1
  `);
  return row;
}

/** How many events of the last hours could not be routed and still have no job. */
export async function countUnroutedEvents(db: Queries, hours: number): Promise<number> {
  const [row] = await db.run(db.sql<{ count: number }[]>`
    select count(*)::int as count from events
    where error is not null and received_at > now() - make_interval(hours => ${hours}::integer)
      and not exists (select from jobs where event_id = events.id offset 0)
  `);
  return row!.count;
}
