/**
 * How the receiver says no, always as JSON.
 * @module
 */
import { STATUS_CODE, STATUS_TEXT, type StatusCode } from "@std/http/status";

/** An answer that says what is wrong, in words a sender's log can show. */
export function refusal(
  status: StatusCode,
  error: string,
  headers: Record<string, string> = {},
): Response {
  return Response.json({ error }, { status, headers });
}

/** Nothing is here; the same words for every path, so that nobody can tell names apart. */
export function notFound(): Response {
  return refusal(STATUS_CODE.NotFound, STATUS_TEXT[STATUS_CODE.NotFound]);
}
