/**
 * The deals of the fake API: https://www.amocrm.ru/developers/content/crm_platform/leads-api
 * @module
 */
import { INTEGRATION } from "./crm.ts";
import type { Lead } from "./entities.ts";
import { isAsked, isWithin, link, ordered, pageOf } from "./lists.ts";
import { invalid, NO_CONTENT, ok, problem, type Reply } from "./reply.ts";
import { type Backend, type Call, elementsOf, isWith, type Route } from "./route.ts";

const PAGE = { standard: 50, most: 250 };

/** Reading, listing, making and changing deals. */
export const leadRoutes: readonly Route[] = [
  ["GET", "/leads/:id", (call, backend) => {
    const lead = backend.crm.leads.get(call.ids[0]!);
    return lead ? ok(leadJson(lead, call, backend, call.url.href)) : missing(backend);
  }],
  ["GET", "/leads", (call, backend) => {
    const ignoresFilters = backend.switches.ignoredFilters.has("leads");
    const rows = [...backend.crm.leads.values()]
      .filter((lead) => ignoresFilters || isAskedFor(lead, call.query));
    const shown = ordered(call.query, rows)
      .map((lead) => leadJson(lead, call, backend, addressOf(call, lead.id)));
    return pageOf(call.url, "leads", shown, PAGE);
  }],
  ["POST", "/leads", (call, { crm }) => {
    const elements = elementsOf(call.body);
    if (elements.length === 0) return invalid([notAList]);
    const leads = elements.map((element) => {
      const lead = crm.createLead(changesOf(element), INTEGRATION);
      return {
        id: lead.id,
        request_id: element.request_id,
        _links: { self: link(addressOf(call, lead.id)) },
      };
    });
    return ok({ _links: { self: link(call.url.href) }, _embedded: { leads } });
  }],
  ["PATCH", "/leads/:id", (call, backend) => {
    const [id] = call.ids;
    if (!backend.crm.leads.has(id!)) return missing(backend);
    const changes = changesOf((call.body ?? {}) as Record<string, unknown>);
    const lead = backend.crm.changeLead(id!, changes, INTEGRATION);
    return ok({ id: lead.id, updated_at: lead.updated_at, _links: { self: link(call.url.href) } });
  }],
];

/** Usually 204; 404 has been seen too. */
export function missing({ switches }: Backend): Reply {
  return switches.missing === 204 ? NO_CONTENT : problem(404, "There is no such entity");
}

const notAList = {
  code: "InvalidType",
  path: "",
  detail: "This value should be of type array.",
};

function leadJson(lead: Lead, call: Call, { crm }: Backend, self: string): unknown {
  const { tags, companies, contacts, items, ...fields } = lead;
  return {
    ...fields,
    group_id: 0,
    loss_reason_id: null,
    source_id: null,
    closest_task_at: null,
    score: null,
    account_id: crm.account,
    labor_cost: null,
    _links: { self: link(self) },
    _embedded: {
      tags: tags.map((tag) => ({ ...tag, color: null })),
      companies,
      // Only on demand, and never more of a contact than this.
      ...isWith(call, "contacts") ? { contacts } : {},
      ...isWith(call, "catalog_elements")
        ? {
          catalog_elements: items.map(({ id, quantity, catalog_id }) => ({
            id,
            metadata: { quantity, catalog_id },
            quantity,
            catalog_id,
          })),
        }
        : {},
    },
  };
}

function isAskedFor(lead: Lead, query: URLSearchParams): boolean {
  return isAsked(query, "id", lead.id) &&
    isAsked(query, "pipeline_id", lead.pipeline_id) &&
    isWithin(query, "created_at", lead.created_at) &&
    isWithin(query, "updated_at", lead.updated_at) &&
    isAtAskedStage(lead, query);
}

function isAtAskedStage(lead: Lead, query: URLSearchParams): boolean {
  const stage = (name: string) => query.get(`filter[statuses][0][${name}]`);
  if (stage("status_id") === null) return true;
  return stage("status_id") === `${lead.status_id}` &&
    stage("pipeline_id") === `${lead.pipeline_id}`;
}

/** What a sender may set; other fields are not its own. */
function changesOf(element: Record<string, unknown>): Partial<Lead> {
  const names = ["name", "price", "status_id", "pipeline_id", "responsible_user_id"] as const;
  const given = [...names, "custom_fields_values"].filter((name) => element[name] !== undefined);
  return Object.fromEntries(given.map((name) => [name, element[name]]));
}

function addressOf({ url }: Call, id: number): string {
  return new URL(`/api/v4/leads/${id}`, url).href;
}
