/**
 * The form of contract numbers: `{YYYY}-{0000}` gives 2026-0001. The counter itself is in the database (`documents.ts`).
 * @module
 */
import { nameHint } from "../base/nearest.ts";

/** A form that was read. */
export interface NumberFormat {
  /** As it was written. */
  readonly text: string;
  readonly parts: readonly Part[];
}

type Part =
  | { readonly literal: string }
  | { readonly field: keyof typeof FIELDS }
  /** How many digits the counter has at least. */
  | { readonly digits: number };

/** What the fields of a form are taken from. */
export interface NumberedDeal {
  /** The date of the contract, `2026-12-01`. */
  readonly date: string;
  readonly leadId: string;
}

/** The numbers among which a contract gets the next one. */
export interface NumberSeries {
  /** Its identity: each has a counter of its own, from 1. */
  readonly name: string;
  readonly prefix: string;
  readonly digits: number;
  readonly suffix: string;
  /** The first number, where that bears no counter. */
  readonly first: string | null;
}

const FIELDS = {
  YYYY: ({ date }: NumberedDeal) => date.slice(0, 4),
  YY: ({ date }: NumberedDeal) => date.slice(2, 4),
  MM: ({ date }: NumberedDeal) => date.slice(5, 7),
  DD: ({ date }: NumberedDeal) => date.slice(8, 10),
  lead: ({ leadId }: NumberedDeal) => leadId,
};
const MAX_UNITS = 60;

/** Reads a form; a text is what is wrong with it, as it reads after the name of the setting. */
export function parseNumberFormat(text: string): NumberFormat | string {
  if (text.length > MAX_UNITS) return `has more than ${MAX_UNITS} characters`;
  const pieces = text.split(/(\{[^{}]*\})/).filter((piece) => piece !== "");
  const parts: Part[] = [];
  for (const piece of pieces) {
    const part = partOf(piece);
    if (typeof part === "string") return part;
    parts.push(part);
  }
  const counters = parts.filter((part) => "digits" in part).length;
  if (counters > 1) return "has more than one counter";
  const tellsApart = parts.some((part) => "field" in part && part.field === "lead");
  if (counters === 0 && !tellsApart) return "needs a counter such as {0000}, or {lead}";
  return { text, parts };
}

function partOf(piece: string): Part | string {
  const name = /^\{(.*)\}$/.exec(piece)?.[1];
  if (name === undefined) {
    if (/[{}]/.test(piece)) return "has a { or } without its other half";
    return /\p{Cc}/u.test(piece) ? "holds a control character" : { literal: piece };
  }
  if (/^0{1,9}$/.test(name)) return { digits: name.length };
  if (Object.hasOwn(FIELDS, name)) return { field: name as keyof typeof FIELDS };
  return `knows no {${name}}; ${nameHint(name, [...Object.keys(FIELDS), "0000"], "fields")}`;
}

/**
 * The series of a contract. Everything but the counter tells series apart, so with `{YYYY}-{0000}` each year begins at 1.
 *
 * A form without a counter gives a deal's first contract its plain number, and the second one `-2` behind it.
 */
export function seriesOf({ parts }: NumberFormat, deal: NumberedDeal): NumberSeries {
  const place = parts.findIndex((part) => "digits" in part);
  const written = (some: readonly Part[]) => some.map((part) => write(part, deal)).join("");
  if (place < 0) {
    const plain = written(parts);
    return { name: `${plain}-#`, prefix: `${plain}-`, digits: 1, suffix: "", first: plain };
  }
  const [prefix, suffix] = [written(parts.slice(0, place)), written(parts.slice(place + 1))];
  const { digits } = parts[place] as { digits: number };
  return { name: `${prefix}#${suffix}`, prefix, digits, suffix, first: null };
}

function write(part: Part, deal: NumberedDeal): string {
  if ("literal" in part) return part.literal;
  return "field" in part ? FIELDS[part.field](deal) : "";
}
