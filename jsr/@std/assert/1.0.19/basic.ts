/** Assertions about one value, a text, or an order. */

import { format } from "jsr:@std/internal@^1.0.12/format";
import { AssertionError, ending } from "./assertion_error.ts";

// deno-lint-ignore no-explicit-any
type Class = abstract new (...args: any[]) => any;

/** Fails unless the value is truthy. */
export function assert(expr: unknown, msg = ""): asserts expr {
  if (!expr) throw new AssertionError(msg);
}

/** Fails if the value is truthy. */
export function assertFalse(expr: unknown, msg = ""): asserts expr is false {
  if (expr) throw new AssertionError(msg);
}

/** Fails always. */
export function fail(msg?: string): never {
  throw new AssertionError(`Failed assertion${ending(msg)}`);
}

/** Fails always, at a place that should never be reached. */
export function unreachable(msg?: string): never {
  throw new AssertionError(`Unreachable${ending(msg)}`);
}

/** Fails if the value is null or undefined. */
export function assertExists<T>(actual: T, msg?: string): asserts actual is NonNullable<T> {
  if (actual !== undefined && actual !== null) return;
  throw new AssertionError(
    `Expected actual: "${actual}" to not be null or undefined${ending(msg)}`,
  );
}

/** Fails unless the value was made by the class. */
export function assertInstanceOf<T extends Class>(
  actual: unknown,
  expectedType: T,
  msg?: string,
): asserts actual is InstanceType<T> {
  if (actual instanceof expectedType) return;
  const kind = Object(actual) === actual ? (actual as object).constructor?.name : typeof actual;
  throw new AssertionError(
    `Expected object to be an instance of "${expectedType.name}" but was "${kind}"${ending(msg)}`,
  );
}

/** Fails unless the text contains the other one. */
export function assertStringIncludes(actual: string, expected: string, msg?: string): void {
  if (actual.includes(expected)) return;
  throw new AssertionError(
    `Expected actual: "${actual}" to contain: "${expected}"${ending(msg)}`,
  );
}

/** Fails unless the pattern matches the text. */
export function assertMatch(actual: string, expected: RegExp, msg?: string): void {
  if (expected.test(actual)) return;
  throw new AssertionError(`Expected actual: "${actual}" to match: "${expected}"${ending(msg)}`);
}

/** Fails if the pattern matches the text. */
export function assertNotMatch(actual: string, expected: RegExp, msg?: string): void {
  if (!expected.test(actual)) return;
  throw new AssertionError(
    `Expected actual: "${actual}" to not match: "${expected}"${ending(msg)}`,
  );
}

/** Fails unless the first is greater than the second. */
export function assertGreater<T>(actual: T, expected: T, msg?: string): void {
  if (!(actual > expected)) refuseOrder(actual, ">", expected, msg);
}

/** Fails unless the first is greater than the second, or equal to it. */
export function assertGreaterOrEqual<T>(actual: T, expected: T, msg?: string): void {
  if (!(actual >= expected)) refuseOrder(actual, ">=", expected, msg);
}

/** Fails unless the first is less than the second. */
export function assertLess<T>(actual: T, expected: T, msg?: string): void {
  if (!(actual < expected)) refuseOrder(actual, "<", expected, msg);
}

/** Fails unless the first is less than the second, or equal to it. */
export function assertLessOrEqual<T>(actual: T, expected: T, msg?: string): void {
  if (!(actual <= expected)) refuseOrder(actual, "<=", expected, msg);
}

function refuseOrder(actual: unknown, sign: string, expected: unknown, msg?: string): never {
  throw new AssertionError(msg ?? `Expect ${format(actual)} ${sign} ${format(expected)}`);
}
