/**
 * `hookwork gaps`: in which times deliveries may have been lost, and what became of them.
 * @module
 */
import { type GapLine, listGaps } from "../../db/gaps.ts";
import type { Queries } from "../../db/db.ts";
import type { Page } from "../output.ts";
import { renderTable } from "../table.ts";

/** Those that are open first, then the newest. */
export function gaps(db: Queries, { limit }: { limit: number }): Promise<GapLine[]> {
  return listGaps(db, limit);
}

/** A table. */
export function renderGaps(found: readonly GapLine[], page: Page): string {
  if (found.length === 0) return "No gap is known: a receiver was always there.";
  return renderTable(found, [
    { title: "SOURCE", cell: ({ source }) => source },
    { title: "FROM", cell: ({ from }) => page.time(from) },
    { title: "TO", cell: ({ to }) => to && page.time(to) },
    {
      title: "IS",
      cell: ({ to, closedAt }) => closedAt ? "closed" : to ? "to be reconciled" : "lasting",
    },
    { title: "WHY", cell: ({ reason }) => reason, flexible: true },
    { title: "CAME TO", cell: ({ result }) => result, flexible: true },
  ], page.columns);
}
