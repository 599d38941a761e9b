/**
 * The claim: the one statement by which workers take jobs.
 * @module
 */
import type { Job } from "../contract.ts";
import { arrayLiteral, type Queries } from "./db.ts";
import { nextJob } from "./entities.ts";
import type { KindInLane } from "./held_jobs.ts";
import { mayProbe } from "./lanes.ts";

/** What a worker asks for. */
export interface ClaimRequest {
  readonly worker: string;
  readonly limit: number;
  /** The kinds that this worker does, how long a claim of each holds, and the lane without which it is not begun. */
  readonly kinds: readonly (KindInLane & { readonly leaseSeconds: number })[];
  /** Jobs whose earlier run in this process has not ended yet. */
  readonly except: readonly string[];
  /** Whether to take jobs with which a worker died (they run alone), or the others. */
  readonly quarantined: boolean;
  /** The lane whose jobs alone are taken, to find out whether it works again: one job, and only if nobody else does. */
  readonly probe?: string;
}

/**
 * Takes due jobs, at most `limit`: the urgent ones first, and among equals each kind in its turn, so that a kind with a long queue
 * cannot keep the others waiting.
 *
 * `found` looks at one kind and priority after the other, at jobs without an entity and at entities alike. Each look is a short walk
 * along an index that locks what it finds, and the limit above ends the walk: nothing is sorted, and no more is locked than asked for.
 * A CTE and not a subquery of the update: that one may run again for each row and take more than its limit.
 *
 * Whoever has locked an entity's row decides alone which of its jobs is next. This statement sees the jobs as they were when it began,
 * so it takes a job only if it is still pending, and puts an entity to sleep only if no job was added since. A job that another claim
 * has to take (its kind is not known here, or it has to run alone) stays, and its entity's row says from then on how to find it.
 *
 * `shunned` leaves out the entities of `except`, before the limit counts: they would keep the others from a worker for good.
 *
 * `known` leaves out the kinds whose lane is in an episode: what they have waiting is not even looked at. A probe does the
 * reverse: it locks the lane's row, which one claim of all workers can, and takes a job of that lane only.
 */
export async function claimJobs(db: Queries, request: ClaimRequest): Promise<Job[]> {
  const { sql } = db;
  const { limit, quarantined } = request;
  const lost = quarantined ? sql`lost > 0` : sql`lost = 0`;
  const probe = request.probe ?? null;
  const probed = sql`
    select name from lanes where name = ${probe} and ${mayProbe(sql)} for update skip locked`;
  const may = probe === null
    ? sql`not exists (select from lanes where name = lane and since is not null)`
    : sql`lane in (select name from probed)`;
  const head = nextJob(sql, { entity: sql`found.entity`, held: sql`found.job_id` });
  return await db.run(sql<Job[]>`
    with probed as materialized (${probed}), known as materialized (
      select kind, lease from unnest(
        ${arrayLiteral(request.kinds.map((k) => k.kind))}::text[],
        ${arrayLiteral(request.kinds.map((k) => k.leaseSeconds))}::float8[],
        ${arrayLiteral(request.kinds.map((k) => k.lane))}::text[]
      ) as of_worker (kind, lease, lane)
      where ${may}
    ), shunned as materialized (
      -- What is pending, in words that no index knows: each is found by its id.
      select entity from jobs where id = any(${arrayLiteral(request.except)}::bigint[])
        and entity is not null and locked_until is null and finished_at is null
    ), looks as materialized (
      select kind, priority, by_entity
      from known, generate_series(0, 3) as level (priority), (values (true), (false)) as way (by_entity)
      order by priority, random()
    ), found as materialized (
      select due.id, due.entity, due.job_id, due.version from looks cross join lateral (
        select id, null as entity, null::bigint as job_id, null::bigint as version from (select id from jobs
          where not looks.by_entity and status = 'pending' and entity is null and ${lost}
            and kind = looks.kind and priority = looks.priority and run_at <= now()
            and id <> all(${arrayLiteral(request.except)}::bigint[])
          order by run_at, id limit ${limit} for update skip locked) as free
        union all
        select null, entity, job_id, version from (select entity, job_id, version from entities
          where looks.by_entity and quarantined = ${quarantined}
            and kind = looks.kind and priority = looks.priority and next_at <= now() and next_at < 'infinity'
            and entity <> all(array(select entity from shunned))
          order by next_at limit ${limit} for update skip locked) as turn
      ) as due limit ${limit}
    ), heads as materialized (
      select found.entity, found.version = seen.version as complete, head.*,
        head.run_at <= now() and (head.lost > 0) = ${quarantined} and head.kind in (select kind from known) as takes
      from found join entities as seen on seen.entity = found.entity
      left join lateral (${head}) as head on true
    ), chosen as materialized (
      select id from found where id is not null
      union all
      select id from heads where takes
    ), taken as (
      update jobs set status = 'running', attempts = attempts + 1, claims = claims + 1,
        locked_until = clock_timestamp()
          + make_interval(secs => (select lease from known where known.kind = jobs.kind)),
        locked_by = ${request.worker}, started_at = clock_timestamp()
      where id = any(array(select id from chosen)) and status = 'pending'
      returning jobs.id, jobs.kind, payload::text as payload, event_id, key, attempts, max_attempts, claims, lost,
        entity, collapses, locked_until, pauses, held_since
    ), superseded as (
      update jobs set status = 'superseded', superseded_by = taken.id, finished_at = now()
      from taken
      where taken.collapses and jobs.entity = taken.entity and jobs.status = 'pending' and jobs.collapses
        and jobs.claims = 0 and jobs.id < taken.id and jobs.run_at <= now()
    ), held as (
      update entities set job_id = taken.id, next_at = 'infinity', quarantined = false
      from taken where entities.entity = taken.entity
    ), corrected as (
      update entities set job_id = case when job_id = id then id end, kind = heads.kind, priority = heads.priority,
        next_at = run_at, quarantined = lost > 0
      from heads where entities.entity = heads.entity and complete and not takes
    ), emptied as (
      delete from entities using heads where entities.entity = heads.entity and complete and id is null
    ), probing as (
      update lanes set probe = taken.id, probe_until = locked_until from taken where lanes.name = ${probe}
    )
    select id, kind, payload, event_id as "eventId", key, attempts, max_attempts as "maxAttempts", claims, lost,
      pauses, coalesce(extract(epoch from now() - held_since), 0)::float8 as "heldSeconds"
    from taken
  `);
}
