/**
 * The table `entities`: whose turn it is among the jobs of one entity. It is kept by the same statements that make, take and end jobs.
 * @module
 */
import type { Fragment, Queries, Sql } from "./db.ts";

/**
 * Part of a statement: puts the jobs of the table `made` into their entities' queues.
 *
 * The update happens even where it changes nothing but the version: its lock makes whoever ends or empties the entity wait,
 * and the version tells them that there is more than they can see.
 */
export function queueEntities(sql: Sql): Fragment {
  return sql`
    insert into entities (entity, next_at, kind, priority)
    select distinct on (entity) entity, run_at, kind, priority from made
    where entity is not null order by entity, run_at, id
    on conflict (entity) do update set version = entities.version + 1,
      (next_at, kind, priority) = (
        select case when earlier then excluded.next_at else entities.next_at end,
          case when earlier then excluded.kind else entities.kind end,
          case when earlier then excluded.priority else entities.priority end
        from (select excluded.next_at < entities.next_at
          and (entities.job_id is null or entities.job_id in (select id from made))) as compared (earlier))`;
}

/**
 * Parts of a statement: gives the entities of the rows of `ended` to the next job, or keeps them for the same job until its next
 * attempt. An entity without further jobs is removed, but only if no job can have been added that this statement does not see.
 */
export function releaseEntities(sql: Sql, ended: Fragment): Fragment {
  return sql`turns as materialized (
      select entity, version from entities
      where entity in (select entity from ${ended} as ended where entity is not null)
      order by entity for update
    ), releases as materialized (
      select turns.entity, ended.id, next.kind, next.priority, ended.kind as last_kind,
        ended.priority as last_priority, ended.run_at, ended.lost,
        ended.status = 'pending' and not ended.steps_aside as stays,
        next.kind is null and ended.status <> 'pending' and seen.version = turns.version as empty
      from turns join ${ended} as ended using (entity)
      join entities as seen on seen.entity = turns.entity
      left join lateral (
        select kind, priority from jobs
        where jobs.entity = turns.entity and status = 'pending' and jobs.id <> ended.id
        order by id limit 1
      ) as next on true
    ), emptied as (
      delete from entities using releases where entities.entity = releases.entity and empty
    ), released as (
      update entities set job_id = case when stays then id end,
        next_at = case when stays then run_at else now() end,
        quarantined = stays and lost > 0,
        kind = case when stays then last_kind else coalesce(releases.kind, last_kind) end,
        priority = case when stays then last_priority else coalesce(releases.priority, last_priority) end
      from releases where entities.entity = releases.entity and not empty
    )`;
}

/** An entity whose jobs wait for one of them. */
export interface HeldEntity {
  readonly entity: string;
  /** The job that holds the others up. */
  readonly jobId: string;
  readonly kind: string;
  readonly status: string;
  readonly attempts: number;
  readonly lastError: string | null;
  readonly runAt: Date;
  readonly followers: number;
}

/** The entities that have waited longest, and what holds them; followers are counted up to a thousand. */
export async function listHeldEntities(db: Queries, limit: number): Promise<HeldEntity[]> {
  return await db.run(db.sql<HeldEntity[]>`
    select entities.entity, jobs.id as "jobId", jobs.kind, jobs.status, jobs.attempts,
      jobs.last_error as "lastError", jobs.run_at as "runAt", waiting.followers
    from entities join jobs on jobs.id = entities.job_id
    cross join lateral (
      select count(*)::int as followers from (
        select from jobs as follower
        where follower.entity = entities.entity and follower.status = 'pending'
          and follower.id <> entities.job_id limit 1000
      ) as first_followers
    ) as waiting
    where followers > 0 order by jobs.started_at limit ${limit}
  `);
}
