/**
 * The journal of changes: https://developers.kommo.com/reference/events-filtration
 * @module
 */
import type { JournalEntry } from "./entities.ts";
import { isAsked, isWithin, link, pageOf } from "./lists.ts";
import type { Route } from "./route.ts";

const PAGE = { standard: 50, most: 100 };

/** The newest first. Unlike a list of deals it shows one that came to a stage and left it again. */
export const eventRoutes: readonly Route[] = [
  ["GET", "/events", (call, { crm, switches, now }) => {
    const ignoresFilters = switches.ignoredFilters.has("events");
    const rows = crm.journal
      .filter((entry) => entry.created_at + switches.journalDelaySeconds <= now())
      .filter((entry) => ignoresFilters || isAskedFor(entry, call.query))
      .toReversed()
      .map((entry) => ({
        ...entry,
        account_id: crm.account,
        _links: { self: link(`${call.url.origin}/api/v4/events/${entry.id}`) },
      }));
    return pageOf(call.url, "events", rows, PAGE);
  }],
];

function isAskedFor(entry: JournalEntry, query: URLSearchParams): boolean {
  return isAsked(query, "id", entry.id) &&
    isAsked(query, "type", entry.type) &&
    isAsked(query, "entity", entry.entity_type) &&
    isAsked(query, "entity_id", entry.entity_id) &&
    isAsked(query, "created_by", entry.created_by) &&
    isWithin(query, "created_at", entry.created_at) &&
    isAskedStage(entry, query);
}

/** `filter[value_after][leads_statuses][0][pipeline_id]` and `[status_id]`. */
function isAskedStage({ value_after: [after] }: JournalEntry, query: URLSearchParams): boolean {
  const asked = (name: string) => query.get(`filter[value_after][leads_statuses][0][${name}]`);
  if (asked("status_id") === null && asked("pipeline_id") === null) return true;
  const stage = (after as { lead_status?: { id: number; pipeline_id: number } })?.lead_status;
  return asked("status_id") === `${stage?.id}` && asked("pipeline_id") === `${stage?.pipeline_id}`;
}
