/** The error of a failed assertion, and how a sentence ends with the caller's own message. */

/** Thrown by every assertion that does not hold. */
export class AssertionError extends Error {
  override name = "AssertionError";
}

/** Ends a sentence with the caller's message, or with a full stop. */
export function ending(message?: string): string {
  return message ? `: ${message}` : ".";
}
