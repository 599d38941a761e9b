/**
 * What a contract is made of, and the check that nothing of it is missing or mistyped.
 * @module
 */
import { z } from "zod";
import { PermanentError } from "../base/errors.ts";
import { MAX_KOPECKS, totalsOf } from "./money.ts";
import { account, bik, inn, kpp, ogrn } from "./requisites.ts";

const MAX_ITEMS = 2000;
const MAX_ITEM_KOPECKS = 1e13;

/** Composed, since a letter and a mark that belong together would be drawn apart. */
const text = z.string().normalize("NFC").trim().min(1, "is empty");
const date = text.pipe(z.iso.date("must be a date such as 2026-12-31"));

const signatory = z.object({
  /** `Генеральный директор`. */
  position: text,
  /** As it stands under the signature: initials and family name. */
  name: text,
  /** How the preamble names them, in the genitive, with the authority: `директора ..., действующего на основании Устава`. */
  represented: text,
});

/** One side of a contract. */
export const party = z.object({
  /** In full, with the legal form. */
  name: text,
  inn,
  /** Entrepreneurs have none. */
  kpp: kpp.optional(),
  ogrn,
  address: text,
  account,
  bank: text,
  bik,
  correspondentAccount: account,
  phone: text.optional(),
  email: text.optional(),
  signatory,
}).refine(({ inn, kpp }) => inn.length === 12 || kpp !== undefined, {
  path: ["kpp"],
  error: "is missing: a company has one",
});

const item = z.object({
  name: text,
  /** A decimal number as text, or a number; kept as text, since binary fractions are not exact. */
  quantity: z.union([z.string(), z.number().transform(String)])
    .pipe(z.string().regex(/^\d{1,9}([.,]\d{1,3})?$/, "must be a number such as 2 or 2.5")),
  unit: text,
  /** With VAT, where it is paid. */
  priceKopecks: z.int().min(0).max(MAX_ITEM_KOPECKS),
});

/** The data of one contract. Dates are days of the calendar, money is whole kopecks. */
export const contractData = z.object({
  number: text,
  date,
  city: text,
  seller: party,
  buyer: party,
  items: z.array(item).min(1, "is empty").max(MAX_ITEMS),
  /** A whole number of percent, contained in the prices; null when no VAT is paid. */
  vatPercent: z.int().min(0).max(99).nullable(),
  /** Further fields of the deal by their name in the CRM: `{{поле.Срок поставки}}`. */
  fields: z.record(z.string(), z.string().normalize("NFC")).default({}),
}).refine(({ items, vatPercent }) => totalsOf(items, vatPercent).totalKopecks <= MAX_KOPECKS, {
  path: ["items"],
  error: "come to more than can be written in words",
});

/** The data of one contract, checked. */
export type ContractData = z.infer<typeof contractData>;
/** The data of one contract as it is given. */
export type ContractInput = z.input<typeof contractData>;
/** One side of a contract. */
export type Party = ContractData["seller"];

/** One thing that keeps a contract from being made. */
export interface DataProblem {
  /** Where, in the words of the schema: `buyer.inn`, `items.0.unit`. */
  readonly field: string;
  /** What is wrong, as it reads after the field: `is missing`. */
  readonly problem: string;
}

/** Data is missing or mistyped: only a person can fill it in. */
export class ContractDataError extends PermanentError {
  override name = "ContractDataError";
  constructor(readonly problems: readonly DataProblem[]) {
    const list = problems.map(({ field, problem }) => `${field} ${problem}`).join("; ");
    super(`Cannot make the contract: ${list}; fill it in, then retry`);
  }
}

/** Checks the data of a contract. Throws one ContractDataError with everything that is missing or mistyped. */
export function parseContractData(input: unknown): ContractData {
  const checked = checkData(contractData, input);
  if ("data" in checked) return checked.data;
  throw new ContractDataError(checked.problems);
}

/** Checks a part of the data by its schema. */
export function checkData<T>(
  schema: z.ZodType<T>,
  input: unknown,
): { readonly data: T } | { readonly problems: readonly DataProblem[] } {
  const parsed = schema.safeParse(input, {
    error: (issue) => issue.input === undefined ? "is missing" : undefined,
  });
  if (parsed.success) return { data: parsed.data };
  const problems = parsed.error.issues.map(({ path, message }) => ({
    field: path.join("."),
    problem: message,
  }));
  return { problems };
}
