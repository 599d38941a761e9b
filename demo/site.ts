/**
 * The site of the demo: sends forms to the receiver as a real one would.
 * @module
 */
import { createHmac } from "node:crypto";

/** What the receiver said. */
export interface Answer {
  readonly status: number;
  readonly retryAfter: string | null;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Sends bodies to one receiver. */
export interface Site {
  /** Posts a text as it is, signed with the site's secret or with another one. */
  post(body: string, secret?: string): Promise<Answer>;
}

/** A site that signs with `secret`; `url` is the receiver's address for it. */
export function createSite(url: string, secret: string): Site {
  return {
    async post(body, signingSecret = secret) {
      const headers = signedHeaders(body, signingSecret);
      const response = await fetch(url, { method: "POST", headers, body });
      return {
        status: response.status,
        retryAfter: response.headers.get("retry-after"),
        body: await response.json(),
      };
    },
  };
}

/** The headers of a form: its type and its signature. */
export function signedHeaders(body: string, secret: string): Record<string, string> {
  const signature = createHmac("sha256", secret).update(body).digest("hex");
  return { "content-type": "application/json", "x-signature": `sha256=${signature}` };
}
