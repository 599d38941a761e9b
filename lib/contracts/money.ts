/**
 * Money in whole kopecks: amounts, totals and VAT, exact to the kopeck, and how they are written.
 * @module
 */

/** Between groups of digits, and between a number and its unit: a line is never broken there. */
export const NO_BREAK_SPACE = "\u00a0";

/** The largest sum that can be written in words: 999,999,999,999.99 roubles. */
export const MAX_KOPECKS = 99_999_999_999_999;

/** What is bought, as far as its price is concerned. */
export interface Priced {
  /** A decimal number with at most three places after the point or comma: `2.5`. */
  readonly quantity: string;
  readonly priceKopecks: number;
}

/** What a contract comes to. Prices include VAT, so `vatKopecks` is a part of `totalKopecks`. */
export interface Totals {
  readonly totalKopecks: number;
  /** Null when no VAT is paid. */
  readonly vatKopecks: number | null;
}

/** Quantity times price, rounded half up to the kopeck. */
export function amountKopecks({ quantity, priceKopecks }: Priced): number {
  return Number(divideRounded(thousandths(quantity) * BigInt(priceKopecks), 1000n));
}

/** The sum of all amounts, and the VAT of `vatPercent` that is in it; null is without VAT. */
export function totalsOf(items: readonly Priced[], vatPercent: number | null): Totals {
  const totalKopecks = items.reduce((sum, item) => sum + amountKopecks(item), 0);
  if (vatPercent === null) return { totalKopecks, vatKopecks: null };
  const rate = BigInt(vatPercent);
  const vat = divideRounded(BigInt(totalKopecks) * rate, 100n + rate);
  return { totalKopecks, vatKopecks: Number(vat) };
}

/** `1 234 567,89`, without a currency. */
export function formatMoney(kopecks: number): string {
  const digits = String(kopecks).padStart(3, "0");
  return `${grouped(digits.slice(0, -2))},${digits.slice(-2)}`;
}

/** `1 250,5`: as many places as are needed. */
export function formatQuantity(quantity: string): string {
  const [whole = "", places = ""] = quantity.split(/[.,]/);
  const needed = places.replace(/0+$/, "");
  return grouped(String(BigInt(whole))) + (needed === "" ? "" : `,${needed}`);
}

function thousandths(quantity: string): bigint {
  const [whole = "", places = ""] = quantity.split(/[.,]/);
  return BigInt(whole + places.padEnd(3, "0"));
}

/** Half up, for numbers that are not negative. */
function divideRounded(dividend: bigint, divisor: bigint): bigint {
  return (2n * dividend + divisor) / (2n * divisor);
}

function grouped(digits: string): string {
  return digits.replaceAll(/\B(?=(\d{3})+$)/g, NO_BREAK_SPACE);
}
