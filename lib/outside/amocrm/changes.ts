/**
 * What has changed in the account since a time.
 *
 * The end of the time is not asked for but compared here, so that no row leaves a list while its pages are read, which would
 * move another one onto a page that is done. Rows that come in meanwhile come with a change of their own.
 * @module
 */
import { z } from "zod";
import type { Api } from "./api.ts";
import { id, type Lead, leadForm, time } from "./entities.ts";
import { rowsOf } from "./pages.ts";

const LEADS_PAGE_ROWS = 250;
const EVENTS_PAGE_ROWS = 100;

/** A time, both ends included, in whole seconds as amoCRM counts. */
export interface Span {
  readonly from: Date;
  readonly to: Date;
}

const stage = z.object({ lead_status: z.object({ id, pipeline_id: id }) })
  .transform(({ lead_status: { id, pipeline_id } }) => ({ stageId: id, pipelineId: pipeline_id }));
/** Other events have other values here, in forms of their own. */
const stages = z.tuple([stage], z.unknown()).transform(([first]) => first).optional()
  .catch(undefined);

const eventForm = z.object({
  id: z.string(),
  type: z.string(),
  entity_id: id,
  entity_type: z.string(),
  created_at: time,
  value_after: stages,
  value_before: stages,
}).transform((given) => ({
  id: given.id,
  /** `lead_status_changed`, `lead_added`, and many more. */
  type: given.type,
  entityId: given.entity_id,
  entityType: given.entity_type,
  createdAt: given.created_at,
  /** Where a deal has come to, and from where, if its stage was changed. */
  after: given.value_after,
  before: given.value_before,
}));
/** An entry of the account's journal. */
export type CrmEvent = z.infer<typeof eventForm>;

/** What the journal has of these types in this time; other rows that come are left out. */
export async function* events(
  api: Api,
  span: Span,
  types: readonly string[],
): AsyncGenerator<CrmEvent> {
  const rows = rowsOf(api, {
    what: "read the events of amoCRM",
    path: "/events",
    query: {
      "filter[type]": types.join(","),
      "filter[created_at][from]": secondsOf(span.from),
    },
    key: "events",
    row: eventForm,
    limit: EVENTS_PAGE_ROWS,
  });
  for await (const event of rows) {
    if (types.includes(event.type) && isWithin(event.createdAt, span)) yield event;
  }
}

/**
 * The deals whose last change is in this time. Every row is compared: without a paid option amocrm.ru ignores the filter and answers 200 with all the deals there are. By
 * id, and not by the time of the change: a deal that is changed meanwhile stays in its place.
 */
export async function* leadsUpdated(api: Api, span: Span): AsyncGenerator<Lead> {
  const rows = rowsOf(api, {
    what: "read the deals that have changed",
    path: "/leads",
    query: { "filter[updated_at][from]": secondsOf(span.from), "order[id]": "asc" },
    key: "leads",
    row: leadForm,
    limit: LEADS_PAGE_ROWS,
  });
  for await (const lead of rows) {
    if (isWithin(lead.updatedAt, span)) yield lead;
  }
}

function isWithin(at: Date, { from, to }: Span): boolean {
  const seconds = secondsOf(at);
  return seconds >= secondsOf(from) && seconds <= secondsOf(to);
}

function secondsOf(at: Date): number {
  return Math.floor(at.getTime() / 1000);
}
