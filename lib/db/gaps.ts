/**
 * The tables `source_watch` and `gaps`: in which times a source's deliveries may have been lost, and which of them were
 * reconciled.
 * @module
 */
import type { Gap } from "../contract.ts";
import { arrayLiteral, type Queries } from "./db.ts";

/**
 * Says that a receiver is there for these sources. Where the last word is older than `graceSeconds`, that time becomes a gap
 * by the same statement; the sources with a new one are returned.
 *
 * The rows are locked before they are judged, in one order: of two receivers that come back together the second sees the
 * word of the first. `clock_timestamp()`, since its wait for that lock must not count as silence.
 */
export async function beat(
  db: Queries,
  sources: readonly string[],
  { graceSeconds, reason }: { graceSeconds: number; reason: string },
): Promise<string[]> {
  const rows = await db.run(db.sql<{ source: string }[]>`
    with known as materialized (
      select source, taken_until from source_watch
      where source = any(${arrayLiteral(sources)}::text[])
      order by source for update
    ), found as (
      insert into gaps (source, began_at, ended_at, reason)
      select source, taken_until, clock_timestamp(), ${reason} from known
      where taken_until < clock_timestamp() - make_interval(secs => ${graceSeconds})
      returning source
    ), told as (
      insert into source_watch (source)
      select source from unnest(${arrayLiteral(sources)}::text[]) as given (source)
      where (select count(*) from known) >= 0
      order by source
      on conflict (source) do update set taken_until = greatest(source_watch.taken_until, clock_timestamp())
    )
    select source from found order by source
  `);
  return rows.map(({ source }) => source);
}

/**
 * Notes that a time is lost, up to now, for each source that receivers have been there for: what came in it was stored, and is
 * not here any more.
 */
export async function noteLostTime(db: Queries, from: Date, reason: string): Promise<void> {
  await db.run(db.sql`
    with told as (
      update source_watch set taken_until = clock_timestamp()
      from (select source, taken_until from source_watch) as known where known.source = source_watch.source
      returning known.source, least(known.taken_until, ${from}) as began_at, source_watch.taken_until as ended_at
    )
    insert into gaps (source, began_at, ended_at, reason)
    select source, began_at, ended_at, ${reason} from told order by source
  `);
}

/** Notes that deliveries of a source do not come, since its newest event; once while that lasts. */
export async function beginGap(db: Queries, source: string, reason: string): Promise<void> {
  await db.run(db.sql`
    insert into gaps (source, began_at, reason)
    select ${source}, coalesce((select max(received_at) from events where source = ${source}), now()), ${reason}
    on conflict (source) where ended_at is null do nothing
  `);
}

/** Notes that they come again. Nothing happens where no gap lasts. */
export async function endGap(db: Queries, source: string): Promise<void> {
  await db.run(db.sql`
    update gaps set ended_at = greatest(began_at, now()) where source = ${source} and ended_at is null
  `);
}

/**
 * The times to be reconciled, none of which ended within the last `settleSeconds`: the open gaps, the oldest first, and then
 * what has passed since the last time. Nothing for a source that no receiver has been there for.
 */
export async function listDueGaps(
  db: Queries,
  source: string,
  settleSeconds: number,
): Promise<Gap[]> {
  return await db.run(db.sql<Gap[]>`
    with settled as (select now() - make_interval(secs => ${settleSeconds}) as at)
    select id, source, began_at as "from", ended_at as "to", reason from gaps, settled
    where source = ${source} and closed_at is null and ended_at <= at
    union all
    select null, source, coalesce(reconciled_until, since), at, 'time has passed' from source_watch, settled
    where source = ${source} and coalesce(reconciled_until, since) < at
    order by id nulls last
  `);
}

/** Notes that a time has been reconciled, and what that came to. What was closed before stays as it is. */
export async function closeGap(db: Queries, gap: Gap, result: string): Promise<void> {
  if (gap.id === null) {
    await db.run(db.sql`
      update source_watch set reconciled_until = greatest(reconciled_until, ${gap.to}) where source = ${gap.source}
    `);
  } else {
    await db.run(db.sql`
      update gaps set closed_at = now(), result = ${result} where id = ${gap.id}::bigint and closed_at is null
    `);
  }
}

/** Closes the gaps that lie within a time that a person had reconciled; how many. */
export async function closeGapsWithin(
  db: Queries,
  source: string,
  { from, to, result }: { from: Date; to: Date; result: string },
): Promise<number> {
  const rows = await db.run(db.sql`
    update gaps set closed_at = now(), result = ${result}
    where source = ${source} and closed_at is null and began_at >= ${from} and ended_at <= ${to} returning id
  `);
  return rows.length;
}

/** What is open of a source's gaps. */
export interface OpenGaps {
  readonly source: string;
  readonly count: number;
  /** Whether one has not ended: deliveries do not come now. */
  readonly lasting: boolean;
  /** How long they are together, and since when the oldest is there. */
  readonly seconds: number;
  readonly ageSeconds: number;
  /** Of the newest. */
  readonly reason: string;
}

/** The sources of which gaps are open. */
export async function listOpenGaps(db: Queries): Promise<OpenGaps[]> {
  return await db.run(db.sql<OpenGaps[]>`
    select source, count(*)::int as count, bool_or(ended_at is null) as lasting,
      extract(epoch from sum(coalesce(ended_at, greatest(began_at, now())) - began_at))::float8 as seconds,
      extract(epoch from greatest(now() - min(began_at), '0'))::float8 as "ageSeconds",
      (array_agg(reason order by id desc))[1] as reason
    from gaps where closed_at is null group by source order by source
  `);
}

/** Notes what a person found out about a gap; undefined when it is not there, is closed, or lasts. */
export async function closeGapByHand(
  db: Queries,
  id: string,
  result: string,
): Promise<GapLine | undefined> {
  const [row] = await db.run(db.sql<GapLine[]>`
    update gaps set closed_at = now(), result = ${result}
    where id = ${id}::bigint and closed_at is null and ended_at is not null
    returning id, source, began_at as "from", ended_at as "to", reason, closed_at as "closedAt", result
  `);
  return row;
}

/** A gap as the operator sees it. */
export interface GapLine {
  readonly id: string;
  readonly source: string;
  readonly from: Date;
  readonly to: Date | null;
  readonly reason: string;
  readonly closedAt: Date | null;
  readonly result: string | null;
}

/** The gaps that are open first, then the newest. */
export async function listGaps(db: Queries, limit: number): Promise<GapLine[]> {
  return await db.run(db.sql<GapLine[]>`
    select id, source, began_at as "from", ended_at as "to", reason, closed_at as "closedAt", result from gaps
    order by closed_at is not null, id desc limit ${limit}
  `);
}

/** How long a source has been silent: since its newest event, or since a receiver was first there for it; undefined before. */
export async function getSilenceSeconds(
  db: Queries,
  source: string,
): Promise<number | undefined> {
  const [row] = await db.run(db.sql<{ seconds: number | null }[]>`
    select extract(epoch from now() - coalesce(
      (select max(received_at) from events where source = ${source}),
      (select since from source_watch where source = ${source})
    ))::float8 as seconds
  `);
  return row!.seconds ?? undefined;
}
