/**
 * `hookwork events`: the newest stored deliveries.
 * @module
 */
import type { Queries } from "../../db/db.ts";
import { type EventLine, listEvents } from "../../db/events.ts";
import type { Page } from "../output.ts";
import { type Column, renderTable } from "../table.ts";

/** The newest events, the latest first; with `errors` only those that could not be routed. */
export async function events(
  db: Queries,
  { errors, ...filter }: { source?: string; errors?: boolean; limit: number },
): Promise<EventLine[]> {
  return await listEvents(db, { ...filter, withError: errors });
}

/** A table. */
export function renderEvents(found: readonly EventLine[], page: Page): string {
  if (found.length === 0) return "There is no such event.";
  const columns: Column<EventLine>[] = [
    { title: "ID", cell: (event) => event.id, right: true },
    { title: "SOURCE", cell: (event) => event.source },
    { title: "RECEIVED", cell: (event) => page.time(event.receivedAt) },
    { title: "BYTES", cell: (event) => event.bytes, right: true },
    { title: "JOBS", cell: (event) => event.jobs, right: true },
    { title: "REPEAT KEY", cell: (event) => event.dedupKey, flexible: true },
    { title: "ERROR", cell: (event) => event.error, flexible: true },
  ];
  return renderTable(found, columns, page.columns);
}
