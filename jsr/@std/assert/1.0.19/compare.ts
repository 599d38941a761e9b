/** Assertions that compare two values and show where they differ. */

import { diff, type DiffResult } from "./diff.ts";
import { format } from "jsr:@std/internal@^1.0.12/format";
import { AssertionError, ending } from "./assertion_error.ts";
import { equal } from "./equal.ts";

const SIGNS = { common: " ", added: "+", removed: "-" };
const COLORS = { common: 39, added: 32, removed: 31 };

/** Fails unless both are deeply equal. */
export function assertEquals<T>(actual: T, expected: T, msg?: string): void {
  if (equal(actual, expected)) return;
  throw new AssertionError(`Values are not equal${ending(msg)}\n${explain(actual, expected)}`);
}

/** Fails if both are deeply equal. */
export function assertNotEquals<T>(actual: T, expected: T, msg?: string): void {
  if (!equal(actual, expected)) return;
  throw new AssertionError(
    `Expected actual: ${format(actual)} not to be: ${format(expected)}${ending(msg)}`,
  );
}

/** Fails unless both are the very same value, as `Object.is` sees it. */
export function assertStrictEquals<T>(
  actual: unknown,
  expected: T,
  msg?: string,
): asserts actual is T {
  if (Object.is(actual, expected)) return;
  const text = format(actual);
  throw new AssertionError(
    text === format(expected)
      ? `Values have the same structure but are not reference-equal${ending(msg)}\n\n${text}\n`
      : `Values are not strictly equal${ending(msg)}\n${explain(actual, expected)}`,
  );
}

/** Fails if both are the very same value, as `Object.is` sees it. */
export function assertNotStrictEquals<T>(actual: T, expected: T, msg?: string): void {
  if (!Object.is(actual, expected)) return;
  throw new AssertionError(
    `Expected "actual" to not be strictly equal to: ${format(actual)}${ending(msg)}\n`,
  );
}

function explain(actual: unknown, expected: unknown): string {
  const lines = diff(linesOf(actual), linesOf(expected)).map(paint);
  return ["", "    [Diff] Actual / Expected", "", ...lines, ""].join("\n");
}

/** Texts differ line by line; their quoted form would be one long line. */
function linesOf(value: unknown): string[] {
  return (typeof value === "string"
    ? JSON.stringify(value).replaceAll("\\n", "\\n\n")
    : format(value))
    .split("\n");
}

function paint({ type, value }: DiffResult<string>): string {
  const line = `${SIGNS[type]}   ${value}`;
  return Deno.noColor ? line : `\x1b[${COLORS[type]}m${line}\x1b[39m`;
}
