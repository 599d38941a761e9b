/**
 * The table `alerts`: what a human is still to be told. Counting and sending are apart, so that a crash or a failed send loses no count.
 * @module
 */
import type { Fragment, Queries, Sql } from "./db.ts";

/** Messages a minute at most, of all processes together: Telegram takes 20 a minute for a group. */
export const MAX_ALERTS_PER_MINUTE = 10;
/** Between two sends of one topic, at least. */
export const TOPIC_PAUSE_SECONDS = 60;

/** Part of a statement: counts the jobs given up among the rows of `ended`, by kind and reason. */
export function countGivenUp(sql: Sql, ended: Fragment): Fragment {
  return addToAlerts(
    sql,
    sql`
    select kind || ' ' || reason, count(*),
      kind || ' failed: ' || reason || (array_agg(
        E'\njob ' || id || ': ' || coalesce(last_error, 'no error was recorded') || E'\nhookwork job ' || id
        order by id desc))[1]
    from ${ended} as ended where status = 'failed' group by kind, reason`,
  );
}

/** Part of a statement: counts the events kept without jobs among the rows of `stored`, by source. */
export function countUnrouted(sql: Sql, stored: Fragment): Fragment {
  return addToAlerts(
    sql,
    sql`
    select 'source ' || source || ' not routed', count(*),
      'source ' || source || ': kept without jobs' || (array_agg(
        E'\nevent ' || id || ': ' || error || E'\nhookwork event ' || id order by id desc))[1]
    from ${stored} as stored where error is not null group by source`,
  );
}

/** Part of a statement: counts the things that were created twice: rows of `doubled` with key, kind, ref and the other one. */
export function countDoubled(sql: Sql, doubled: Fragment): Fragment {
  return addToAlerts(
    sql,
    sql`
    select kind || ' created twice', count(*),
      kind || ': created twice in the outside world' || (array_agg(
        E'\n' || key || ': ' || ref || ' and ' || other || E'\nhookwork effect ' || quote_literal(key)
        order by key))[1]
    from ${doubled} as doubled group by kind`,
  );
}

/** Part of a statement: counts the lanes whose episode has begun among the rows of `paused`. What lies within a lane is not told of. */
export function countPausedLanes(sql: Sql, paused: Fragment): Fragment {
  return addToAlerts(
    sql,
    sql`
    select 'lane ' || name || ' paused', 1,
      'lane ' || name || ' is paused, and its jobs wait: ' || reason || E'\nhookwork lanes'
    from ${paused} as paused where began and strpos(name, ':') = 0`,
  );
}

/** Part of a statement: counts the lanes that work again, rows of `opened` with name and since. */
export function countOpenedLanes(sql: Sql, opened: Fragment): Fragment {
  return addToAlerts(
    sql,
    sql`
    select 'lane ' || name || ' open', 1,
      'lane ' || name || ' works again, after ' || justify_interval(date_trunc('second', now() - since)) || '; its jobs go on'
    from ${opened} as opened where strpos(name, ':') = 0`,
  );
}

/** The rows are topic, count and text. They are locked last in every statement, and in one order: so nothing deadlocks. */
function addToAlerts(sql: Sql, counted: Fragment): Fragment {
  return sql`
    insert into alerts (topic, pending, last_text) ${counted} order by 1
    on conflict (topic) do update set pending = alerts.pending + excluded.pending,
      first_at = case when alerts.pending = 0 then now() else alerts.first_at end,
      last_text = excluded.last_text`;
}

/** Asks for one message about a state that lasts; not again before it was sent and `quietMinutes` have passed. */
export async function raiseAlert(
  db: Queries,
  alert: { topic: string; text: string; quietMinutes: number },
): Promise<void> {
  await db.run(db.sql`
    insert into alerts (topic, pending, last_text) values (${alert.topic}, 1, ${alert.text})
    on conflict (topic) do update set pending = 1, first_at = now(), last_text = excluded.last_text
    where alerts.pending = 0
      and alerts.sent_at < now() - make_interval(mins => ${alert.quietMinutes}::integer)
  `);
}

/** A message to be sent. */
export interface DueAlert {
  readonly topic: string;
  /** The number of this taking: only the last one may say what became of it. */
  readonly tries: number;
  readonly pending: number;
  readonly firstAt: Date;
  readonly unconfirmed: number;
  readonly text: string;
}

/**
 * Takes the alerts that are due; no other process takes them for the next minute.
 *
 * A locked row is as its last holder left it, also where this statement's snapshot is older: what is counted among the
 * locked rows is true of all processes together.
 */
export async function takeDueAlerts(
  db: Queries,
  limit = MAX_ALERTS_PER_MINUTE,
): Promise<DueAlert[]> {
  return await db.run(db.sql<DueAlert[]>`
    with latest as materialized (
      select topic, pending, next_at, tried_at > now() - interval '1 minute' as just_tried from alerts
      where pending > 0 or tried_at > now() - interval '1 minute'
      order by topic for update
    ), due as (
      select topic from latest where pending > 0 and next_at <= now()
      order by next_at, topic
      limit least(${limit}::integer,
        greatest(0, ${MAX_ALERTS_PER_MINUTE} - (select count(*) from latest where just_tried)))
    )
    update alerts set tries = tries + 1, tried_at = now(), next_at = now() + make_interval(secs => ${TOPIC_PAUSE_SECONDS})
    from due where alerts.topic = due.topic
    returning alerts.topic, tries, pending, first_at as "firstAt", unconfirmed, last_text as text
  `);
}

/** Takes off what a delivered message stood for; what was counted meanwhile stays. */
export async function markAlertSent(db: Queries, alert: DueAlert): Promise<void> {
  await db.run(db.sql`
    update alerts set pending = pending - least(pending, ${alert.pending}), first_at = now(),
      sent_at = now(), unconfirmed = 0, last_error = null
    where topic = ${alert.topic} and tries = ${alert.tries}
  `);
}

/** Keeps the count of a message that did not arrive, or may not have, and says when to try again. */
export async function postponeAlert(
  db: Queries,
  alert: { topic: string; tries: number; why: string; seconds: number; unconfirmed: number },
): Promise<void> {
  await db.run(db.sql`
    update alerts set last_error = ${alert.why}, unconfirmed = ${alert.unconfirmed},
      next_at = now() + make_interval(secs => ${alert.seconds})
    where topic = ${alert.topic} and tries = ${alert.tries}
  `);
}

/** Why alerts do not reach a human at present, one line a reason; empty when they do. */
export async function listAlertProblems(db: Queries): Promise<string[]> {
  const rows = await db.run(db.sql<{ why: string }[]>`
    select distinct last_error as why from alerts where pending > 0 and last_error is not null order by 1
  `);
  return rows.map((row) => row.why);
}
