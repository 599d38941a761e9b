/**
 * Requisites of Russian companies and entrepreneurs: their lengths, and the check digits that catch a mistyped one.
 *
 * INN: order of the Federal Tax Service ED-7-14/559, check digits by weighted sums modulo 11. OGRN: the number without its
 * last digit modulo 11 (13 digits) or 13 (15 digits), and of that the last digit.
 * @module
 */
import { z } from "zod";

const INN_WEIGHTS = [3, 7, 2, 4, 10, 3, 5, 9, 4, 6, 8];

/** A taxpayer's number: 10 digits of a company, 12 of a person. */
export const inn = digits("10 or 12", 10, 12).refine(
  hasInnCheckDigits,
  "has a wrong check digit: a digit is mistyped",
);
/** The reason for registration, which companies have and entrepreneurs do not: two of its nine places may be letters. */
export const kpp = z.string().regex(/^\d{4}[\dA-Z]{2}\d{3}$/, "must have 9 digits");
/** The registration number: 13 digits of a company, 15 of an entrepreneur. */
export const ogrn = digits("13 or 15", 13, 15).refine(
  hasOgrnCheckDigit,
  "has a wrong check digit: a digit is mistyped",
);
/** A bank's code. */
export const bik = digits("9", 9);
/** An account, of a client or of a bank. */
export const account = digits("20", 20);

function digits(count: string, ...lengths: readonly number[]) {
  const pattern = new RegExp(`^(${lengths.map((length) => `\\d{${length}}`).join("|")})$`);
  return z.string().regex(pattern, { error: `must have ${count} digits`, abort: true });
}

function hasInnCheckDigits(text: string): boolean {
  const checks = text.length === 10 ? [9] : [10, 11];
  return checks.every((place) => {
    const weights = INN_WEIGHTS.slice(INN_WEIGHTS.length - place);
    const sum = weights.reduce((total, weight, index) => total + weight * Number(text[index]), 0);
    return sum % 11 % 10 === Number(text[place]);
  });
}

function hasOgrnCheckDigit(text: string): boolean {
  const divisor = BigInt(text.length - 2);
  return BigInt(text.slice(0, -1)) % divisor % 10n === BigInt(text.slice(-1));
}
