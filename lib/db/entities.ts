/**
 * The table `entities`: whose turn it is among the jobs of one entity. It is kept by the same statements that make, take and end jobs.
 * @module
 */
import type { Fragment, Queries, Sql } from "./db.ts";

/** Where a part of a statement finds what it speaks of. */
interface Turn {
  readonly entity: Fragment;
  /** The job that keeps its turn while it waits; null when none does. */
  readonly held: Fragment;
  /** A job that ends by this very statement. */
  readonly but?: Fragment;
}

/**
 * Part of a statement, one row or none: the job of an entity whose turn it is. The one that keeps its turn, else the first by id of
 * those that are due, else the one that will be due first.
 *
 * Where the first has a collapse key and was never begun, it is the newest of its like: only what was never begun is pointless.
 *
 * The limit at the end is for the planner: without it, all jobs are read and hashed to look one up.
 */
export function nextJob(sql: Sql, { entity, held, but = sql`0` }: Turn): Fragment {
  return sql`
    select next.id, next.kind, next.priority, next.run_at, next.lost from jobs as next where next.id = coalesce(
      (select kept.id from jobs as kept where kept.id = ${held} and kept.status = 'pending'),
      (select case when first.collapses and first.claims = 0 then (
          select newest.id from jobs as newest where newest.entity = ${entity} and newest.status = 'pending'
            and newest.id <> ${but} and newest.run_at <= now() and newest.collapses and newest.claims = 0
          order by newest.id desc limit 1
        ) else first.id end
        from jobs as first where first.entity = ${entity} and first.status = 'pending'
          and first.id <> ${but} and first.run_at <= now()
        order by first.id limit 1),
      (select later.id from jobs as later where later.entity = ${entity} and later.status = 'pending' and later.id <> ${but}
        order by later.run_at, later.id limit 1)
    ) limit 1`;
}

/**
 * Part of a statement: puts the jobs of the table `made` into their entities' queues.
 *
 * The update happens even where it changes nothing but the version: its lock makes whoever ends or empties the entity wait,
 * and the version tells them that there is more than they can see. While a job runs, the row's kind is that of the news.
 */
export function queueEntities(sql: Sql): Fragment {
  return sql`
    insert into entities (entity, next_at, kind, priority)
    select distinct on (entity) entity, run_at, kind, priority from made
    where entity is not null order by entity, run_at, id
    on conflict (entity) do update set version = entities.version + 1,
      (next_at, kind, priority, quarantined) = (
        select case when earlier then excluded.next_at else entities.next_at end,
          case when earlier or asleep then excluded.kind else entities.kind end,
          case when earlier or asleep then excluded.priority else entities.priority end,
          entities.quarantined and not earlier
        from (select entities.next_at = 'infinity', excluded.next_at < entities.next_at
          and (entities.job_id is null or entities.job_id in (select id from made))) as compared (asleep, earlier))`;
}

/**
 * Parts of a statement: gives the entities of the rows of `ended` to the next job, or keeps them for the same job until its next
 * attempt. An entity without further jobs is removed, but only if no job can have been added that this statement does not see.
 * If one was, and none is due of those that it sees, a claim has to look: the row's kind is that of the news then.
 *
 * Never due before now: a claim that began earlier sees the jobs as they were, and must not find the entity.
 */
export function releaseEntities(sql: Sql, ended: Fragment): Fragment {
  const next = nextJob(sql, { entity: sql`turns.entity`, held: sql`null`, but: sql`ended.id` });
  return sql`turns as materialized (
      select entity, version from entities
      where entity in (select entity from ${ended} as ended where entity is not null)
      order by entity for update
    ), releases as materialized (
      select turns.entity, turn.*, stays, seen.version <> turns.version as unseen
      from turns join ${ended} as ended using (entity)
      join entities as seen on seen.entity = turns.entity
      cross join lateral (select ended.status = 'pending' and not ended.steps_aside as stays) as way
      left join lateral (
        select id, kind, priority, greatest(run_at, now()) as due_at, lost > 0 as suspect from (
          select ended.id, ended.kind, ended.priority, ended.run_at, ended.lost where ended.status = 'pending'
          union all
          select id, kind, priority, run_at, lost from (${next}) as other where not stays
        ) as candidates
        order by due_at, id limit 1
      ) as turn on stays or seen.version = turns.version or due_at <= now()
    ), emptied as (
      delete from entities using releases where entities.entity = releases.entity and id is null and not unseen
    ), released as (
      update entities set job_id = case when stays then id end, next_at = coalesce(due_at, now()),
        quarantined = coalesce(suspect, false), kind = coalesce(releases.kind, entities.kind),
        priority = coalesce(releases.priority, entities.priority)
      from releases where entities.entity = releases.entity and (id is not null or unseen)
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
