/**
 * The table `lanes`, as an operator sees and changes it.
 * @module
 */
import { countPausedLanes } from "./alerts.ts";
import type { Queries } from "./db.ts";
import { CHANNEL } from "./jobs.ts";

/** A lane, and the episode it is in. */
export interface LaneView {
  readonly name: string;
  /** Since when it has not been known to work; null while it does. */
  readonly since: Date | null;
  readonly sinceSeconds: number;
  /** When a job may find out whether it works again; null when it works, and when a person has to resume it. */
  readonly pausedUntil: Date | null;
  readonly paused: boolean;
  readonly reason: string | null;
  /** Pauses in a row. */
  readonly pauses: number;
  /** Calls a second at most. */
  readonly rate: number | null;
}

/** The lanes that are in an episode, or all that anything is known of, by name. */
export async function listLanes(db: Queries, which: "all" | "failing"): Promise<LaneView[]> {
  return await db.run(db.sql<LaneView[]>`
    select name, since, coalesce(extract(epoch from now() - since), 0)::float8 as "sinceSeconds",
      case when paused_until < 'infinity' then paused_until end as "pausedUntil",
      coalesce(paused_until > now(), false) as paused, reason, pauses, rate
    from lanes where ${which === "all"} or since is not null order by name
  `);
}

/** Pauses a lane until a person resumes it. */
export async function pauseLaneByHand(db: Queries, name: string, reason: string): Promise<void> {
  const { sql } = db;
  await db.run(sql`
    with paused as (
      insert into lanes as lane (name, since, paused_until, reason) values (${name}, now(), 'infinity', ${reason})
      on conflict (name) do update set since = coalesce(lane.since, excluded.since), paused_until = 'infinity',
        reason = excluded.reason, probe_until = null
      returning name, reason, since = now() as began
    ), counted as (${countPausedLanes(sql, sql`paused`)})
    select from paused
  `);
}

/**
 * Lets a paused lane be used again; false when it was not paused. What a person has paused is open then; of what has failed
 * by itself, one job finds out.
 */
export async function resumeLane(db: Queries, name: string): Promise<boolean> {
  const { sql } = db;
  const rows = await db.run(sql`
    with resumed as (
      update lanes set probe_until = null,
        since = case when paused_until < 'infinity' then since end,
        reason = case when paused_until < 'infinity' then reason end,
        pauses = case when paused_until < 'infinity' then pauses else 0 end,
        paused_until = case when paused_until < 'infinity' then now() end
      where name = ${name} and since is not null
      returning name
    )
    select pg_notify(${CHANNEL}, '') from resumed
  `);
  return rows.length > 0;
}
