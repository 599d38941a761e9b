/** Stand-in for `@std/assert`: the assertions that the tests of this project use. */

export { AssertionError } from "./assertion_error.ts";
export * from "./basic.ts";
export * from "./compare.ts";
export { equal } from "./equal.ts";
export { assertIsError, assertRejects, assertThrows } from "./errors.ts";
export { assertObjectMatch } from "./object_match.ts";
