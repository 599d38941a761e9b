/**
 * The fake API v4: finds the route of a call and answers from the account.
 * @module
 */
import { eventRoutes } from "./api_events.ts";
import { leadRoutes } from "./api_leads.ts";
import { noteRoutes, taskRoutes } from "./api_notes.ts";
import { webhookRoutes } from "./api_webhooks.ts";
import type { CatalogItem, Company, Contact } from "./entities.ts";
import { isAsked, link, pageOf } from "./lists.ts";
import { NO_CONTENT, ok, problem, type Reply } from "./reply.ts";
import { type Backend, type Call, isWith, matchRoute, type Route } from "./route.ts";

const PAGE = { standard: 50, most: 250 };

const otherRoutes: readonly Route[] = [
  ["GET", "/account", (call, { crm, subdomain, driveUrl }) =>
    ok({
      id: crm.account,
      name: "Fake account",
      subdomain,
      country: "RU",
      currency: "RUB",
      ...isWith(call, "drive_url") ? { drive_url: driveUrl } : {},
      _links: { self: link(call.url.href) },
    })],
  ...partyRoutes("contacts", ({ crm }) => crm.contacts),
  ...partyRoutes("companies", ({ crm }) => crm.companies),
  ["GET", "/catalogs/:id/elements/:id", (call, backend) => {
    const [catalog, id] = call.ids;
    const item = backend.crm.items.get(id!);
    return item?.catalog_id === catalog ? ok(entityJson(item!, call, backend)) : NO_CONTENT;
  }],
  ["GET", "/catalogs/:id/elements", (call, backend) => {
    const rows = [...backend.crm.items.values()].filter((item) =>
      item.catalog_id === call.ids[0] && isAsked(call.query, "id", item.id)
    );
    return pageOf(call.url, "elements", rows.map((row) => entityJson(row, call, backend)), PAGE);
  }],
];

const ROUTES = [
  ...leadRoutes,
  ...noteRoutes,
  ...taskRoutes,
  ...eventRoutes,
  ...webhookRoutes,
  ...otherRoutes,
];

/** Answers a call whose token was found good. */
export function answerApi(
  method: string,
  call: Omit<Call, "ids" | "query">,
  backend: Backend,
): Reply {
  const path = call.url.pathname;
  for (const [routeMethod, route, answer] of ROUTES) {
    const ids = method === routeMethod ? matchRoute(route, path) : undefined;
    if (ids) return answer({ ...call, ids, query: call.url.searchParams }, backend);
  }
  return problem(404, `There is no ${method} ${path}`);
}

/** Persons and companies: one by its id, or a list. */
function partyRoutes(
  name: "contacts" | "companies",
  partiesOf: (backend: Backend) => ReadonlyMap<number, Contact | Company>,
): Route[] {
  return [
    ["GET", `/${name}/:id`, (call, backend) => {
      const party = partiesOf(backend).get(call.ids[0]!);
      return party ? ok(entityJson(party, call, backend)) : NO_CONTENT;
    }],
    ["GET", `/${name}`, (call, backend) => {
      const ignoresFilters = backend.switches.ignoredFilters.has(name);
      const rows = [...partiesOf(backend).values()]
        .filter((party) => ignoresFilters || isAsked(call.query, "id", party.id));
      return pageOf(call.url, name, rows.map((party) => entityJson(party, call, backend)), PAGE);
    }],
  ];
}

function entityJson(
  entity: Contact | Company | CatalogItem,
  call: Call,
  { crm }: Backend,
): unknown {
  const { companies, ...fields } = { companies: undefined, ...entity };
  const path = call.url.pathname;
  const self = path.endsWith(`/${entity.id}`) ? path : `${path}/${entity.id}`;
  return {
    ...fields,
    account_id: crm.account,
    _links: { self: link(new URL(self, call.url).href) },
    ...companies ? { _embedded: { tags: [], companies } } : {},
  };
}
