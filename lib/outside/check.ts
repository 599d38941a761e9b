/**
 * What the status of an answer means for the job that asked.
 * @module
 */
import { PermanentError, TemporaryError } from "../base/errors.ts";
import { parseRetryAfter } from "../base/retry_after.ts";
import type { Answer } from "./http.ts";

/** Statuses that mean something else with one service than they do in general. */
export interface Exceptions {
  readonly temporary?: readonly number[];
  readonly permanent?: readonly number[];
}

const RETRIED = new Set([408, 425, 429]);

/**
 * Returns an answer of success (2xx) as it is. Otherwise throws TemporaryError, with the seconds of Retry-After,
 * for 408, 425, 429 and 5xx; PermanentError for any other 4xx and for 3xx, which names where it leads.
 * `what` reads after "Cannot", as in a call.
 */
export function check(answer: Answer, what: string, exceptions: Exceptions = {}): Answer {
  const { status, headers } = answer;
  if (status >= 200 && status < 300) return answer;
  const message = `Cannot ${what}: the answer was ${status}`;
  if (isPermanent(status, exceptions)) throw new PermanentError(message + advice(answer));
  throw new TemporaryError(
    `${message}; it may pass`,
    parseRetryAfter(headers.get("retry-after"), new Date()),
  );
}

/** Whether a status of failure stays one when the call is repeated: 4xx but for 408, 425 and 429, and 3xx. */
export function isPermanent(
  status: number,
  { permanent, temporary }: Exceptions = {},
): boolean {
  if (permanent?.includes(status)) return true;
  if (temporary?.includes(status) || RETRIED.has(status)) return false;
  return status >= 300 && status < 500;
}

function advice({ status, headers }: Answer): string {
  if (status >= 400) return "; see what the service expects, then retry the job";
  return `, a redirect to ${target(headers.get("location"))}; set that address if it is right`;
}

// Query and credentials of an address may be secrets.
function target(location: string | null): string {
  const url = location === null ? null : URL.parse(location, "http://same-host");
  if (url === null) return "nowhere";
  return url.host === "same-host" ? url.pathname : `${url.origin}${url.pathname}`;
}
