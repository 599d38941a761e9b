/**
 * Jobs that a paused lane has held for too long.
 * @module
 */
import { countGivenUp } from "./alerts.ts";
import { arrayLiteral, type Queries } from "./db.ts";
import { releaseEntities } from "./entities.ts";

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
  return await db.run(sql<{ id: string; kind: string }[]>`
    with shut as materialized (
      select kind, lanes.name, reason
      from unnest(${arrayLiteral(kinds.map((k) => k.kind))}::text[], ${
    arrayLiteral(kinds.map((k) => k.lane))
  }::text[]) as known (kind, lane)
      join lanes on lanes.name = known.lane and since < now() - make_interval(days => ${days}::integer)
    ), stale as materialized (
      select id, entity, shut.name as lane, shut.reason as why from shut join jobs using (kind)
      where status = 'pending' and run_at < now() - make_interval(days => ${days}::integer)
      order by id limit ${limit}
    ), turn as materialized (
      select entity, job_id from entities where entity in (select entity from stale) order by entity for update skip locked
    ), first as materialized (
      select distinct on (coalesce(stale.entity, stale.id::text)) stale.id, lane, why
      from stale left join turn using (entity)
      where stale.entity is null or turn.job_id = stale.id or (turn.entity is not null and turn.job_id is null)
      order by coalesce(stale.entity, stale.id::text), stale.id
    ), held as materialized (
      select id, lane, why from first join jobs using (id) where status = 'pending' order by id for update of jobs skip locked
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
