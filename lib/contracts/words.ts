/**
 * Numbers and sums in Russian words.
 * @module
 */
import { MAX_KOPECKS, NO_BREAK_SPACE } from "./money.ts";

/** The forms after 1, after 2 to 4, and after 5: рубль, рубля, рублей. */
export type Forms = readonly [one: string, few: string, many: string];
/** Of the noun that is counted: один рубль, одна тысяча. */
export type Gender = "masculine" | "feminine";

const ROUBLES: Forms = ["рубль", "рубля", "рублей"];
const KOPECKS: Forms = ["копейка", "копейки", "копеек"];
/** What a group of three digits counts, from the right. */
const SCALES: readonly { readonly forms: Forms; readonly gender: Gender }[] = [
  { forms: ["тысяча", "тысячи", "тысяч"], gender: "feminine" },
  { forms: ["миллион", "миллиона", "миллионов"], gender: "masculine" },
  { forms: ["миллиард", "миллиарда", "миллиардов"], gender: "masculine" },
];
const MAX_NUMBER = 1000 ** (SCALES.length + 1) - 1;

const UP_TO_TWENTY =
  " один два три четыре пять шесть семь восемь девять десять одиннадцать двенадцать тринадцать четырнадцать пятнадцать шестнадцать семнадцать восемнадцать девятнадцать"
    .split(" ");
const TENS = "  двадцать тридцать сорок пятьдесят шестьдесят семьдесят восемьдесят девяносто"
  .split(" ");
const HUNDREDS = " сто двести триста четыреста пятьсот шестьсот семьсот восемьсот девятьсот"
  .split(" ");
const FEMININE: Readonly<Record<number, string>> = { 1: "одна", 2: "две" };

/** The form of a noun after a whole number: 21 рубль, 12 рублей. */
export function plural(count: number, [one, few, many]: Forms): string {
  const [tens, units] = [Math.floor(count / 10) % 10, count % 10];
  if (tens === 1 || units === 0 || units > 4) return many;
  return units === 1 ? one : few;
}

/** A whole number from 0 to 999,999,999,999 in words. Throws RangeError beyond that. */
export function numberInWords(count: number, gender: Gender): string {
  if (!Number.isInteger(count) || count < 0 || count > MAX_NUMBER) {
    throw new RangeError(`Cannot write ${count} in words: it is not from 0 to ${MAX_NUMBER}`);
  }
  if (count === 0) return "ноль";
  return [...scaledGroups(Math.floor(count / 1000)), ...groupInWords(count % 1000, gender)]
    .join(" ");
}

/**
 * A sum as contracts state it, with the kopecks in digits: `Сто рублей 05 копеек`.
 * Throws RangeError beyond MAX_KOPECKS.
 */
export function amountInWords(kopecks: number): string {
  if (!Number.isInteger(kopecks) || kopecks < 0 || kopecks > MAX_KOPECKS) {
    throw new RangeError(`Cannot write ${kopecks} kopecks in words: more than ${MAX_KOPECKS}`);
  }
  const [roubles, rest] = [Math.floor(kopecks / 100), kopecks % 100];
  const words = `${numberInWords(roubles, "masculine")} ${plural(roubles, ROUBLES)}`;
  const digits = String(rest).padStart(2, "0");
  return `${capitalized(words)} ${digits}${NO_BREAK_SPACE}${plural(rest, KOPECKS)}`;
}

function scaledGroups(thousands: number): string[] {
  return SCALES.flatMap(({ forms, gender }, index) => {
    const group = Math.floor(thousands / 1000 ** index) % 1000;
    return group === 0 ? [] : [[...groupInWords(group, gender), plural(group, forms)].join(" ")];
  }).reverse();
}

/** The words of a number below a thousand; none for zero. */
function groupInWords(group: number, gender: Gender): string[] {
  const [hundreds, rest] = [Math.floor(group / 100), group % 100];
  const [tens, units] = rest < 20 ? [0, rest] : [Math.floor(rest / 10), rest % 10];
  const unit = gender === "feminine" ? FEMININE[units] : undefined;
  return [HUNDREDS[hundreds]!, TENS[tens]!, unit ?? UP_TO_TWENTY[units]!]
    .filter((word) => word !== "");
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
