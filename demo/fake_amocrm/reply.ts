/**
 * The answers of the fake amoCRM: HAL, problems, and pages that are no JSON at all.
 * Source: https://www.amocrm.ru/developers/content/crm_platform/error-codes
 * @module
 */

/** An answer. Without a body when it has neither JSON nor a page. */
export interface Reply {
  readonly status: number;
  readonly json?: unknown;
  readonly page?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const TITLES: Readonly<Record<number, string>> = {
  400: "Bad Request",
  401: "Unauthorized",
  402: "Payment Required",
  403: "Forbidden",
  404: "Not Found",
  422: "Unprocessable Entity",
};

/** Nothing was found, or there is nothing to say. */
export const NO_CONTENT: Reply = { status: 204 };

/** An answer as JSON. */
export function ok(json: unknown, status = 200): Reply {
  return { status, json, headers: { "content-type": "application/hal+json" } };
}

/** A refusal in the form of RFC 7807. */
export function problem(status: number, detail: string, more: object = {}): Reply {
  const title = TITLES[status] ?? "Error";
  const json = { title, type: `https://httpstatus.es/${status}`, status, detail, ...more };
  return { status, json, headers: { "content-type": "application/problem+json" } };
}

/** What is wrong with one part of what was sent. */
export interface Invalid {
  readonly code: string;
  readonly path: string;
  readonly detail: string;
}

/** A refusal for what was sent; `requestId` is the sender's own mark of the element. */
export function invalid(errors: readonly Invalid[], requestId = "0"): Reply {
  const list = [{ request_id: requestId, errors }];
  return problem(400, "Request validation failed", { "validation-errors": list });
}

/** A page of something that stands before the API. */
export function page(status: number, text: string): Reply {
  const html = `<html><head><title>${status} ${text}</title></head><body>${text}</body></html>`;
  return { status, page: html, headers: { "content-type": "text/html" } };
}

/** Each status as the API words it when nothing else is said: a page where no JSON can be relied on. */
export function replyOf(status: number): Reply {
  switch (status) {
    case 204:
      return NO_CONTENT;
    case 401:
      return problem(401, "Unauthorized");
    case 402:
      return problem(402, "The account is not paid");
    case 429:
      return page(429, "Too Many Requests");
    case 403:
      return page(403, "Forbidden");
    default:
      return status >= 500
        ? page(status, "Gateway Time-out")
        : problem(status, "Refused on demand");
  }
}
