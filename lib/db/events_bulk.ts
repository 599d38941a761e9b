/**
 * The table `events`, as seen by an operator who routes many of them again.
 * @module
 */
import type { Queries } from "./db.ts";

/** Which events: those of one source that were received in a span of time, `to` excluded. */
export interface EventSpan {
  readonly source: string;
  readonly from: Date;
  readonly to: Date;
  /** Only those with a larger id than this. */
  readonly after?: string;
}

/** The ids of these events in their order, which is that of their arrival. */
export async function listEventIds(
  db: Queries,
  { source, from, to, after = "0" }: EventSpan,
): Promise<string[]> {
  const rows = await db.run(db.sql<{ id: string }[]>`
    select id from events
    where source = ${source} and id > ${after}::bigint
      and received_at >= ${from.toISOString()}::timestamptz and received_at < ${to.toISOString()}::timestamptz
    order by id
  `);
  return rows.map(({ id }) => id);
}
