/**
 * `hookwork gaps` and `hookwork gap`: in which times deliveries may have been lost, and what became of them.
 * @module
 */
import { RefusedError } from "../../base/errors.ts";
import { closeGapByHand, type GapLine, listGaps } from "../../db/gaps.ts";
import type { Queries } from "../../db/db.ts";
import type { Page } from "../output.ts";
import { renderFields, renderTable } from "../table.ts";

/** Those that are open first, then the newest. */
export function gaps(db: Queries, { limit }: { limit: number }): Promise<GapLine[]> {
  return listGaps(db, limit);
}

/** A table. */
export function renderGaps(found: readonly GapLine[], page: Page): string {
  if (found.length === 0) return "No gap is known: a receiver was always there.";
  return renderTable(found, [
    { title: "ID", cell: ({ id }) => id, right: true },
    { title: "SOURCE", cell: ({ source }) => source },
    { title: "FROM", cell: ({ from }) => page.time(from) },
    { title: "TO", cell: ({ to }) => to && page.time(to) },
    { title: "IS", cell: describeState },
    { title: "WHY", cell: ({ reason }) => reason, flexible: true },
    { title: "CAME TO", cell: ({ result }) => result, flexible: true },
  ], page.columns);
}

/** Closes a gap with a person's word on it. Throws RefusedError when there is nothing to close. */
export async function gap(
  db: Queries,
  id: string,
  { result }: { result: string },
): Promise<GapLine> {
  const closed = await closeGapByHand(db, id, result);
  if (closed) return closed;
  throw new RefusedError(
    `Cannot close gap ${id}: it is not there, is closed already, or lasts; see \`hookwork gaps\``,
  );
}

/** What is known of it now. */
export function renderGap(gap: GapLine, page: Page): string {
  const { id, source, from, to, reason, result } = gap;
  return renderFields([
    ["gap", id],
    ["source", source],
    ["from", page.time(from)],
    ["to", to && page.time(to)],
    ["is", describeState(gap)],
    ["why", reason],
    ["came to", result],
  ]);
}

function describeState({ to, closedAt }: GapLine): string {
  if (closedAt) return "closed";
  return to ? "to be reconciled" : "lasting";
}
