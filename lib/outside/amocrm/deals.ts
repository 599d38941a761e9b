/**
 * Reading deals and what belongs to them.
 * @module
 */
import { z } from "zod";
import { isId } from "../../base/amocrm.ts";
import { PermanentError } from "../../base/errors.ts";
import type { Api } from "./api.ts";
import {
  type Company,
  companyForm,
  type Contact,
  contactForm,
  type Element,
  elementForm,
  type Lead,
  leadForm,
} from "./entities.ts";
import { rowsOf } from "./pages.ts";

const PAGE_ROWS = 250;

/** Something that is sold with a deal. */
export interface Item extends Element {
  readonly quantity: number;
}

/** A deal with all that a contract is made of. */
export interface Deal {
  readonly lead: Lead;
  /** The main one. */
  readonly contact: Contact | undefined;
  readonly company: Company | undefined;
  /** In the order of the deal; without those that are no longer in their catalog. */
  readonly items: readonly Item[];
}

/** An id as a part of a path. Throws PermanentError when it is none. */
export function idPath(id: string): string {
  if (isId(id)) return id;
  throw new PermanentError(`Cannot ask amoCRM for "${id}": that is no id; see where it comes from`);
}

/** Contacts are embedded only when they are asked for; companies always are. */
const WITH = "contacts,catalog_elements";

const leadListForm = z.object({ _embedded: z.object({ leads: z.array(leadForm) }) })
  .transform(({ _embedded }) => _embedded.leads);

/** The deal, with references to what belongs to it; undefined when neither its id nor the list has it. */
export async function readLead({ ask }: Api, id: string): Promise<Lead | undefined> {
  const what = `read deal ${id}`;
  const path = `/leads/${idPath(id)}`;
  const lead = await ask({ what, path, query: { with: WITH }, schema: leadForm });
  if (lead !== undefined) return lead;
  // Kommo has been seen to answer 204 for a deal that is there, and has it in its list. A filter may be ignored.
  const query = { with: WITH, "filter[id][0]": id, limit: 1 };
  const listed = await ask({ what, path: "/leads", query, schema: leadListForm });
  return listed?.find((lead) => lead.id === id);
}

/** The person; undefined when not there. */
export function readContact({ ask }: Api, id: string): Promise<Contact | undefined> {
  return ask({
    what: `read contact ${id}`,
    path: `/contacts/${idPath(id)}`,
    schema: contactForm,
  });
}

/** The company; undefined when not there. */
export function readCompany({ ask }: Api, id: string): Promise<Company | undefined> {
  return ask({
    what: `read company ${id}`,
    path: `/companies/${idPath(id)}`,
    schema: companyForm,
  });
}

/** The deal with its main contact, its first company and its items, each asked for by itself: a deal holds only their ids. */
export async function readDeal(api: Api, id: string): Promise<Deal | undefined> {
  const lead = await readLead(api, id);
  return lead && await readDealOf(api, lead);
}

export async function readDealOf(api: Api, lead: Lead): Promise<Deal> {
  const [contactId] = lead.contactIds;
  const [companyId] = lead.companyIds;
  return {
    lead,
    contact: contactId === undefined ? undefined : await readContact(api, contactId),
    company: companyId === undefined ? undefined : await readCompany(api, companyId),
    items: await readItems(api, lead),
  };
}

/** One call for each catalog as a rule: filters may be ignored, so the rows are looked through until all are found. */
async function readItems(api: Api, lead: Lead): Promise<Item[]> {
  const elements = new Map<string, Element>();
  for (const [catalog, items] of Map.groupBy(lead.items, ({ catalogId }) => catalogId)) {
    const missing = new Set(items.map(({ id }) => id));
    const rows = rowsOf(api, {
      what: `read the items of deal ${lead.id}`,
      path: `/catalogs/${idPath(catalog)}/elements`,
      query: Object.fromEntries([...missing].map((id, index) => [`filter[id][${index}]`, id])),
      key: "elements",
      row: elementForm,
      limit: PAGE_ROWS,
    });
    for await (const row of rows) {
      if (missing.delete(row.id)) elements.set(row.id, row);
      if (missing.size === 0) break;
    }
  }
  return lead.items.flatMap(({ id, quantity }) => {
    const element = elements.get(id);
    return element ? [{ ...element, quantity }] : [];
  });
}
