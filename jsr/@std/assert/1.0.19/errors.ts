/** Assertions about errors: thrown, rejected, or at hand. */

import { AssertionError, ending } from "./assertion_error.ts";

// deno-lint-ignore no-explicit-any
type ErrorClass<E> = abstract new (...args: any[]) => E;

/** Fails unless the value is an error of the class whose message contains or matches the given one. */
export function assertIsError<E extends Error = Error>(
  error: unknown,
  ErrorClass?: ErrorClass<E>,
  msgMatches?: string | RegExp,
  msg?: string,
): asserts error is E {
  if (!(error instanceof Error)) {
    throw new AssertionError(`Expected "error" to be an Error object${ending(msg)}`);
  }
  if (ErrorClass && !(error instanceof ErrorClass)) {
    throw new AssertionError(
      `Expected error to be instance of "${ErrorClass.name}", ` +
        `but was "${error.constructor.name}"${ending(msg)}`,
    );
  }
  if (msgMatches && !matches(error.message, msgMatches)) {
    const wanted = msgMatches instanceof RegExp ? msgMatches : JSON.stringify(msgMatches);
    throw new AssertionError(
      `Expected error message to include ${wanted}, ` +
        `but got ${JSON.stringify(error.message)}${ending(msg)}`,
    );
  }
}

/** Fails unless the function throws; gives what it threw. */
export function assertThrows(fn: () => unknown, msg?: string): unknown;
/** Fails unless the function throws such an error; gives it. */
export function assertThrows<E extends Error = Error>(
  fn: () => unknown,
  ErrorClass: ErrorClass<E>,
  msgIncludes?: string,
  msg?: string,
): E;
export function assertThrows(fn: () => unknown, ...expected: Expected): unknown {
  const wanted = read(expected);
  try {
    fn();
  } catch (error) {
    return checked(error, wanted, "thrown");
  }
  throw new AssertionError(`Expected function to throw${ending(wanted.msg)}`);
}

/** Fails unless the function gives a promise that is rejected; gives the reason. */
export function assertRejects(fn: () => PromiseLike<unknown>, msg?: string): Promise<unknown>;
/** Fails unless the function gives a promise that is rejected with such an error; gives it. */
export function assertRejects<E extends Error = Error>(
  fn: () => PromiseLike<unknown>,
  ErrorClass: ErrorClass<E>,
  msgIncludes?: string,
  msg?: string,
): Promise<E>;
export async function assertRejects(
  fn: () => PromiseLike<unknown>,
  ...expected: Expected
): Promise<unknown> {
  const wanted = read(expected);
  const promise = begin(fn, wanted);
  try {
    await promise;
  } catch (error) {
    return checked(error, wanted, "rejected");
  }
  throw new AssertionError(`Expected function to reject${ending(wanted.msg)}`);
}

type Expected = [classOrMsg?: ErrorClass<Error> | string, includesOrMsg?: string, msg?: string];
type Wanted = { type?: ErrorClass<Error>; includes?: string; msg?: string };

function read([first, second, third]: Expected): Wanted {
  return typeof first === "string" ? { msg: first } : { type: first, includes: second, msg: third };
}

/** A function that throws before it gives a promise is a mistake of the test. */
function begin(fn: () => PromiseLike<unknown>, { msg }: Wanted): PromiseLike<unknown> {
  try {
    const promise = fn();
    if (typeof promise?.then === "function") return promise;
  } catch { /* said below, as for a function that gives no promise */ }
  throw new AssertionError(`Function throws when expected to reject${ending(msg)}`);
}

function checked(error: unknown, { type, includes, msg }: Wanted, how: string): unknown {
  if (!type) return error;
  if (!(error instanceof Error)) {
    throw new AssertionError(`A non-Error object was ${how}${ending(msg)}`);
  }
  assertIsError(error, type, includes, msg);
  return error;
}

function matches(message: string, wanted: string | RegExp): boolean {
  const plain = withoutColors(message);
  return wanted instanceof RegExp ? wanted.test(plain) : plain.includes(withoutColors(wanted));
}

function withoutColors(text: string): string {
  // deno-lint-ignore no-control-regex
  return text.replaceAll(/\x1b\[[0-9;]*m/g, "");
}
