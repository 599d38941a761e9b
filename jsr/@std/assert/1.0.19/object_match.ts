/** An assertion about some of the keys of an object. */

import { assertEquals } from "./compare.ts";

// deno-lint-ignore no-explicit-any
type Loose = Record<PropertyKey, any>;

/** Fails unless the object has everything the expected one has; what it has beyond that is fine. */
export function assertObjectMatch(actual: Loose, expected: Loose, msg?: string): void {
  // Both sides go through the same sieve, so that classes become plain objects on both.
  assertEquals(pick(actual, expected), pick(expected, expected), msg);
}

/** What the value has of that which the pattern asks for. */
function pick(value: unknown, pattern: unknown): unknown {
  if (!isNested(value) || !isNested(pattern)) return value;
  if (Array.isArray(value) && Array.isArray(pattern)) {
    return value.slice(0, pattern.length).map((item, i) => pick(item, pattern[i]));
  }
  if (value instanceof Set && pattern instanceof Set) return value.intersection(pattern);
  if (value instanceof Map && pattern instanceof Map) {
    return new Map(
      [...value].filter(([key]) => pattern.has(key)).map((
        [key, item],
      ) => [key, pick(item, pattern.get(key))]),
    );
  }
  return pickKeys(value as Loose, pattern as Loose);
}

function pickKeys(value: Loose, pattern: Loose): Loose {
  const keys = Reflect.ownKeys(value);
  const shared = keys.filter((key) => Object.hasOwn(pattern, key));
  // Nothing in common: the whole object makes a better diff than an empty one.
  const shown = shared.length || !Reflect.ownKeys(pattern).length ? shared : keys;
  return Object.fromEntries(shown.map((key) => [key, pick(value[key], pattern[key])]));
}

function isNested(value: unknown): value is object {
  return typeof value === "object" && value !== null &&
    !(value instanceof Date || value instanceof RegExp);
}
