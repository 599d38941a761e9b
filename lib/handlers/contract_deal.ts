/**
 * From a deal to the data of its contract: what is sold, the fields of the deal, the buyer.
 * @module
 */
import { calendarDate, longDate } from "../contracts/dates.ts";
import type { ContractInput } from "../contracts/data.ts";
import type { Deal, Item } from "../outside/amocrm/deals.ts";
import type { Field, Lead } from "../outside/amocrm/entities.ts";
import { buyerOf, fieldText, type OwnFields } from "./contract_buyer.ts";

const UNIT_FIELDS = ["Единица измерения", "Ед. изм."];
const STANDARD_UNIT = "шт.";
const PRICE_FIELD = "PRICE";

/** How a deal is read. */
export interface DealReading {
  readonly timeZone: string;
  readonly buyerFields: OwnFields;
}

/** The part of a contract's data that a deal has. Nothing is made up: what is missing is told when the data is checked. */
export function contractOf(
  deal: Deal,
  { timeZone, buyerFields }: DealReading,
): Partial<Record<keyof ContractInput, unknown>> {
  return {
    buyer: buyerOf(deal, buyerFields),
    items: itemsOf(deal),
    fields: Object.fromEntries(
      deal.lead.fields.flatMap((field) => {
        const text = fieldValue(field, timeZone);
        return text === "" ? [] : [[field.name, text]];
      }),
    ),
  };
}

/** The items of the deal, else one line with its name and its sum. */
function itemsOf({ lead, items }: Deal): unknown[] {
  // One that has left its catalog cannot be read: a contract without it would be a wrong one.
  const lost = lead.items.length - items.length;
  const known = lead.items.length > 0 ? items.map(itemOf) : [wholeDeal(lead)];
  return [...known, ...Array.from({ length: lost }, () => ({}))];
}

function itemOf({ name, quantity, fields }: Item) {
  return {
    name,
    quantity: String(quantity),
    unit: fieldText(fields, UNIT_FIELDS) ?? STANDARD_UNIT,
    priceKopecks: kopecksOf(fieldText(fields, [PRICE_FIELD])),
  };
}

function wholeDeal({ name, price }: Lead) {
  const priceKopecks = price === 0 ? undefined : kopecksOf(String(price));
  return { name: name || undefined, quantity: "1", unit: STANDARD_UNIT, priceKopecks };
}

/** Exact, as no binary fraction is; undefined for what is no price in whole kopecks. */
function kopecksOf(price: string | undefined): number | undefined {
  const [, roubles, kopecks = ""] = /^(\d{1,12})(?:[.,](\d{1,2})0*)?$/.exec(price ?? "") ?? [];
  return roubles === undefined ? undefined : Number(roubles + kopecks.padEnd(2, "0"));
}

/** All values of a field as they read in a sentence; empty for files and the like. */
function fieldValue({ type, values }: Field, timeZone: string): string {
  const isDay = type === "date" || type === "date_time" || type === "birthday";
  const texts = values.map(({ value }) => {
    if (isDay && typeof value === "number") {
      return longDate(calendarDate(new Date(value * 1000), timeZone));
    }
    if (typeof value === "boolean") return value ? "да" : "нет";
    return ["string", "number"].includes(typeof value) ? `${value}`.trim() : "";
  });
  return texts.filter((text) => text !== "").join(", ");
}
