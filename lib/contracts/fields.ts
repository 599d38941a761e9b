/**
 * The placeholders of a template: their Russian names, and what stands for each.
 * @module
 */
import type { ContractData, Party } from "./data.ts";
import { longDate } from "./dates.ts";
import { formatMoney, NO_BREAK_SPACE, totalsOf } from "./money.ts";
import { amountInWords } from "./words.ts";

/** Begins the name of a field of the deal: `поле.Срок поставки`. */
const DEAL_FIELD = "поле.";
/** Known to whoever prints the page, so allowed in the footer only. */
export const PAGE_FIELDS = { "страница": "number", "страниц": "count" } as const;

type Value = (data: ContractData) => string | undefined;

const partyFields: Readonly<Record<string, (party: Party) => string | undefined>> = {
  название: ({ name }) => name,
  инн: ({ inn }) => inn,
  кпп: ({ kpp }) => kpp,
  огрн: ({ ogrn }) => ogrn,
  адрес: ({ address }) => address,
  счет: ({ account }) => account,
  банк: ({ bank }) => bank,
  бик: ({ bik }) => bik,
  корсчет: ({ correspondentAccount }) => correspondentAccount,
  телефон: ({ phone }) => phone,
  почта: ({ email }) => email,
  должность: ({ signatory }) => signatory.position,
  подписант: ({ signatory }) => signatory.name,
  в_лице: ({ signatory }) => signatory.represented,
};

const fields: ReadonlyMap<string, Value> = new Map<string, Value>([
  ["номер", ({ number }) => number],
  ["дата", ({ date }) => longDate(date)],
  ["город", ({ city }) => city],
  ["сумма", (data) => formatMoney(totalOf(data).totalKopecks)],
  ["сумма_прописью", (data) => amountInWords(totalOf(data).totalKopecks)],
  ["ндс", vatClause],
  ...partyValues("поставщик", ({ seller }) => seller),
  ...partyValues("покупатель", ({ buyer }) => buyer),
]);

/** The names of all placeholders, fields of the deal and of the page apart. */
export const FIELD_NAMES: readonly string[] = [...fields.keys()];

/** A name as it is compared: `{{ Номер }}` is `{{номер}}`, and ё is е. */
export function fieldName(written: string): string {
  return written.trim().replaceAll(/\s+/g, " ").toLowerCase().replaceAll("ё", "е");
}

/** Whether a template may use this name. */
export function isField(name: string): boolean {
  return fields.has(name) || isDealField(name);
}

/** What stands for a name that `isField`; undefined when the contract has no such value. */
export function fieldValue(name: string, data: ContractData): string | undefined {
  return isDealField(name) ? dealField(name, data) : fields.get(name)?.(data);
}

/** Those of some names, as they are written, that are fields of the deal, with their values; each once, by name. */
export function dealFieldsOf(
  written: readonly string[],
  data: ContractData,
): [name: string, value: string | undefined][] {
  const names = new Set(written.map(fieldName).filter(isDealField));
  return [...names].sort().map((name) => [name, dealField(name, data)]);
}

function isDealField(name: string): boolean {
  return name.startsWith(DEAL_FIELD) && name.length > DEAL_FIELD.length;
}

function dealField(name: string, { fields }: ContractData): string | undefined {
  const wanted = name.slice(DEAL_FIELD.length);
  return Object.entries(fields).find(([written]) => fieldName(written) === wanted)?.[1].trim() ||
    undefined;
}

function partyValues(role: string, of: (data: ContractData) => Party): [string, Value][] {
  return Object.entries(partyFields)
    .map(([name, value]) => [`${role}.${name}`, (data) => value(of(data))]);
}

function totalOf({ items, vatPercent }: ContractData) {
  return totalsOf(items, vatPercent);
}

/** How the sum speaks of VAT: `в том числе НДС 22 % — 3 967,21 руб.`, or that none is paid. */
function vatClause(data: ContractData): string {
  const { vatKopecks } = totalOf(data);
  if (vatKopecks === null) return "НДС не облагается";
  const rate = `НДС${NO_BREAK_SPACE}${data.vatPercent}${NO_BREAK_SPACE}%`;
  return `в том числе ${rate} — ${formatMoney(vatKopecks)}${NO_BREAK_SPACE}руб.`;
}
