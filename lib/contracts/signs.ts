/**
 * Which signs the font of pdfmake can draw. It leaves out the others without a word, and a contract must not lose a sign.
 * @module
 */
import { type ContractData, ContractDataError, type DataProblem } from "./data.ts";
import { dealFieldsOf } from "./fields.ts";
import { PLACEHOLDER, type Template } from "./template.ts";

/** What both weights of pdfmake's Roboto have: Latin, Greek, Cyrillic with that of Kazakh and its like, and signs of a business. */
const DRAWN =
  /[\t\n\r\x20-\x7e\xa0-\u017f\u018f\u0192\u01a0\u01a1\u01af\u01b0\u01fa-\u01ff\u0218-\u021b\u02bc\u0300\u0301\u0303\u0309\u0323\u0384-\u038a\u038c\u038e-\u03a1\u03a3-\u03ce\u0400-\u0486\u0488-\u0513\u1e80-\u1e85\u1e9e\u1ea0-\u1ef9\u2000-\u200b\u2010\u2011\u2013-\u2015\u2017-\u201e\u2020-\u2022\u2025-\u2027\u2030\u2032\u2033\u2039\u203a\u203c\u2044\u2070\u2074-\u208e\u20a3\u20a4\u20a6-\u20ac\u20b1\u20b9\u20ba\u20bc\u20bd\u2105\u2113\u2116\u2122\u2126\u212e\u215b-\u215e\u2202\u2206\u220f\u2211\u2212\u221a\u221e\u222b\u2248\u2260\u2264\u2265\u25a0\u25ca\u25cb\u25cf]/u;
/** Nothing is to be seen of these anyway. */
const UNSEEN = /[\p{Default_Ignorable_Code_Point}\p{Zs}\u2028\u2029]/u;
const VISIBLE = /[\p{L}\p{M}\p{N}\p{P}\p{S}]/u;
const MAX_TOLD = 10;

/** Begins the problem of a text with signs that cannot be drawn; the signs follow. */
export const UNDRAWN = "has signs that the font does not have: ";

/** Throws ContractDataError for each text of a contract that would lose a sign. Fields of the deal count where the template names them. */
export function checkSigns({ blocks }: Template, { fields, ...data }: ContractData): void {
  const named = blocks.flatMap(({ text }) =>
    [...text.matchAll(PLACEHOLDER)].map(([, name]) => name!)
  );
  const problems = [
    ...problemsOf(data, ""),
    ...problemsOf(Object.fromEntries(dealFieldsOf(named, { fields, ...data })), ""),
  ];
  if (problems.length > 0) throw new ContractDataError(problems);
}

function problemsOf(value: unknown, field: string): DataProblem[] {
  if (typeof value === "object" && value !== null) {
    return Object.entries(value).flatMap(([name, inner]) =>
      problemsOf(inner, field === "" ? name : `${field}.${name}`)
    );
  }
  const lost = typeof value === "string" ? undrawn(value) : [];
  return lost.length === 0 ? [] : [{ field, problem: UNDRAWN + lost.join(", ") }];
}

function undrawn(text: string): string[] {
  const lost = [...new Set(text)].filter((sign) => !DRAWN.test(sign) && !UNSEEN.test(sign));
  return lost.slice(0, MAX_TOLD).map((sign) => {
    const code = `U+${sign.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}`;
    return VISIBLE.test(sign) ? `${sign} (${code})` : code;
  });
}
