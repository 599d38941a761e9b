/**
 * Jobs that a paused lane has held for too long.
 * @module
 */
import { countGivenUp } from "./alerts.ts";
import { arrayLiteral, type Queries } from "./db.ts";
import { nextJob, releaseEntities } from "./entities.ts";

/** A kind and the lane that its jobs need. */
export interface KindInLane {
  readonly kind: string;
  readonly lane: string | null;
}

/**
 * Gives up jobs that have been due, and their lane paused, for so many days; counts them in `alerts`. Of each entity only the
 * one whose turn it is: the next is looked at the next time.
 */
export async function failHeldJobs(
  db: Queries,
  { kinds, days, limit }: { kinds: readonly KindInLane[]; days: number; limit: number },
): Promise<{ id: string; kind: string }[]> {
  const { sql } = db;
  const turn = nextJob(sql, { entity: sql`entities.entity`, held: sql`entities.job_id` });
  const longAgo = sql`now() - make_interval(days => ${days}::integer)`;
  return await db.run(sql<{ id: string; kind: string }[]>`
    with shut as materialized (
      select kind, name as lane, reason as why
      from unnest(${arrayLiteral(kinds.map((k) => k.kind))}::text[], ${
    arrayLiteral(kinds.map((k) => k.lane))
  }::text[]) as known (kind, in_lane)
      join lanes on name = in_lane and since < ${longAgo}
    ), free as materialized (
      select id, lane, why from shut join jobs using (kind)
      where status = 'pending' and entity is null and run_at < ${longAgo}
      order by id limit ${limit}
    ), heads as materialized (
      select next.id, lane, why
      from shut join entities using (kind) cross join lateral (${turn}) as next
      where next_at <= now() and next_at < 'infinity' and next.kind = shut.kind and next.run_at < ${longAgo}
      limit ${limit} for update of entities skip locked
    ), stale as materialized (
      select id, lane, why from free union all select id, lane, why from heads order by id limit ${limit}
    ), held as materialized (
      select id, lane, why from stale join jobs using (id) where status = 'pending' order by id for update of jobs skip locked
    ), failed as (
      update jobs set status = 'failed', reason = 'exhausted', finished_at = now(),
        last_error = 'Held for ' || ${days}::integer || ' days by the lane ' || lane || ': ' || why
      from held where jobs.id = held.id
      returning jobs.id, jobs.kind, jobs.status, jobs.reason, jobs.last_error, jobs.entity, jobs.priority, jobs.run_at,
        jobs.lost, false as steps_aside
    ), ${releaseEntities(sql, sql`failed`)}, counted as (${countGivenUp(sql, sql`failed`)})
    select id, kind from failed
  `);
}
