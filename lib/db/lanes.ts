/**
 * The table `lanes`: which outside services are paused, and whose turn it is where only so many calls a second are allowed.
 *
 * A lane's name may have a part after a colon, as in `telegram:-100500`: a lane within the lane `telegram`.
 * @module
 */
import { countOpenedLanes, countPausedLanes } from "./alerts.ts";
import type { Fragment, Queries, Sql } from "./db.ts";
import { CHANNEL } from "./jobs.ts";

/** The first pause of an episode when the service does not say how long, and the longest. */
const FIRST_PAUSE_SECONDS = 60;
const LONGEST_PAUSE_SECONDS = 3600;

/** What a caller is told at the entrance of a lane. */
export interface LaneTurn {
  /** The paused lane, this one or the one around it, with its reason and for how long yet, at most a day; null when none is. */
  readonly closed:
    | { readonly name: string; readonly reason: string; readonly seconds: number }
    | null;
  /** How long to wait for the turn; null when the queue is longer than allowed, so that none was taken. */
  readonly waitSeconds: number | null;
  /** The lanes, of the two, that a call would show to work again. */
  readonly unproven: readonly string[];
}

/** The lane around a lane, or itself. */
export function outerLane(name: string): string {
  return name.split(":", 1)[0]!;
}

/** Takes a turn. By the clock and not by the transaction: whoever waited for the row must not be given a moment that is over. */
export async function enterLane(
  db: Queries,
  { name, perSecond, maxWaitSeconds }: {
    name: string;
    perSecond: number | null;
    maxWaitSeconds: number;
  },
): Promise<LaneTurn> {
  const { sql } = db;
  const gap = sql`make_interval(secs => 1 / ${perSecond}::float8)`;
  const [turn] = await db.run(sql<LaneTurn[]>`
    with episodes as materialized (
      select name, reason, least(paused_until, now() + interval '1 day') as until from lanes
      where name in (${name}, ${outerLane(name)}) and since is not null
    ), shut as materialized (
      select name, reason, extract(epoch from until - now())::float8 as seconds
      from episodes where until > now() order by until desc limit 1
    ), turn as (
      insert into lanes as lane (name, rate, next_at)
      select ${name}, ${perSecond}::float8, clock_timestamp() + ${gap}
      where ${perSecond}::float8 is not null and not exists (select from shut)
      on conflict (name) do update set rate = excluded.rate, next_at = greatest(lane.next_at, clock_timestamp()) + ${gap}
        where lane.next_at <= clock_timestamp() + make_interval(secs => ${maxWaitSeconds})
      returning next_at - ${gap} as at
    )
    select (select row_to_json(shut) from shut) as closed,
      case when ${perSecond}::float8 is null then 0
        else (select greatest(0, extract(epoch from at - clock_timestamp())) from turn)::float8 end as "waitSeconds",
      (select coalesce(json_agg(name), '[]') from episodes where until <= now()) as unproven
  `);
  return turn!;
}

/** Why a lane is to be paused, and for how long; without `seconds` ever longer, from a minute to an hour. */
export interface Pause {
  readonly name: string;
  readonly seconds: number | null;
  readonly reason: string;
}

/**
 * Pauses a lane; one that is paused already is at most paused for longer, if the service asks for it. Two inner lanes paused at one time pause the lane around them too.
 * The alert of an episode is counted by the same statement.
 */
export async function pauseLane(db: Queries, { name, seconds, reason }: Pause): Promise<void> {
  const { sql } = db;
  const outer = outerLane(name);
  await db.run(sql`
    with asked as (
      select ${name}::text as name
      union
      select ${outer} where exists (
        select from lanes where starts_with(name, ${outer} || ':') and name not in (${name}, ${outer})
          and paused_until > now() and paused_until < 'infinity'
      ) and ${name} <> ${outer}
    ), paused as (
      insert into lanes as lane (name, since, paused_until, reason, pauses)
      select name, now(), now() + make_interval(secs => coalesce(${seconds}::float8, ${FIRST_PAUSE_SECONDS})), ${reason}, 1
      from asked order by name
      on conflict (name) do update set since = coalesce(lane.since, excluded.since), reason = excluded.reason,
        pauses = lane.pauses + (coalesce(lane.paused_until, now()) <= now())::integer, probe_until = null,
        paused_until = now() + make_interval(secs => coalesce(${seconds}::float8,
          least(${FIRST_PAUSE_SECONDS} * 2 ^ least(lane.pauses, 10), ${LONGEST_PAUSE_SECONDS})))
        where lane.since is null or lane.paused_until <= now()
          or (${seconds}::float8 is not null and excluded.paused_until > lane.paused_until)
      returning name, reason, since = now() as began
    ), counted as (${countPausedLanes(sql, sql`paused`)})
    select from paused
  `);
}

/** Ends the episodes of lanes whose pause is over: a call has shown that they work. Workers are told, and a human. */
export async function openLane(db: Queries, name: string): Promise<void> {
  const { sql } = db;
  await db.run(sql`
    with before as materialized (
      select name, since from lanes where name = ${name} and since is not null and paused_until <= now() for update
    ), opened as (
      update lanes set since = null, paused_until = null, reason = null, pauses = 0, probe = null, probe_until = null
      from before where lanes.name = before.name
      returning lanes.name, before.since
    ), counted as (${countOpenedLanes(sql, sql`opened`)})
    select pg_notify(${CHANNEL}, '') from opened
  `);
}

/** A lane whose pause is over and that waits for a job to probe it. */
export interface Probe {
  readonly lane: string;
  /** The job that probed last. */
  readonly last: string | null;
}

/**
 * Part of a statement's condition, over a row of `lanes`: its pause is over, and no job finds out at present whether it works.
 *
 * `probe_until` is what a statement sees that has waited for the row while another took the probe: it sees the jobs as they
 * were before. A probe that takes longer than its first lease is known by its job.
 */
export function mayProbe(sql: Sql): Fragment {
  return sql`
    since is not null and paused_until <= now() and coalesce(probe_until < now(), true)
      and not exists (select from jobs where id = lanes.probe and status = 'running')`;
}

/** The lanes that wait for a probe. */
export async function listProbes(db: Queries): Promise<Probe[]> {
  const { sql } = db;
  return await db.run(sql<Probe[]>`
    select name as lane, probe as last from lanes where ${mayProbe(sql)} order by name
  `);
}
