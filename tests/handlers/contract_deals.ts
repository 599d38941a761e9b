/** Deals as the client gives them, for tests of what a contract takes from them. */

import type { Deal, Item } from "../../lib/outside/amocrm/deals.ts";
import type { Company, Contact, Field, Lead } from "../../lib/outside/amocrm/entities.ts";

/** A custom field with these values. */
export function fieldOf(name: string, values: unknown[], parts: Partial<Field> = {}): Field {
  const given = values.map((value) => ({ value, enumCode: null }));
  return { id: "1", name, code: null, type: "text", values: given, ...parts };
}

/** An item of a catalog with a price. */
export function itemOf(parts: Partial<Item> & { price?: string } = {}): Item {
  const { price = "184000.50", ...given } = parts;
  const fields = [fieldOf("Цена", [price], { code: "PRICE", type: "price" })];
  return { id: "7", name: "Ворота", quantity: 2, fields, ...given };
}

/** A deal; its lead refers to as many items as there are, unless told otherwise. */
export function dealOf(
  parts: {
    lead?: Partial<Lead>;
    company?: Partial<Company>;
    contact?: Partial<Contact>;
    items?: Item[];
  } = {},
): Deal {
  const { items = [], company, contact } = parts;
  const entity = { id: "2", name: "", responsibleUserId: "9", fields: [] };
  const at = new Date(0);
  const lead: Lead = {
    ...entity,
    id: "4521",
    accountId: "1",
    price: 0,
    pipelineId: "1",
    stageId: "1",
    createdAt: at,
    updatedAt: at,
    companyIds: [],
    contactIds: [],
    items: items.map(({ id, quantity }) => ({ id, catalogId: "77", quantity })),
    ...parts.lead,
  };
  return {
    lead,
    items,
    company: company && { ...entity, ...company },
    contact: contact && { ...entity, firstName: "", lastName: "", companyIds: [], ...contact },
  };
}
