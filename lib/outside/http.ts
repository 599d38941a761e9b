/**
 * Calls to outside services: one deadline over connection and body, bodies with a cap, failures without addresses.
 * @module
 */
import { OutcomeUnknownError, ShadowError, TemporaryError } from "../base/errors.ts";
import { parseJson } from "../base/json.ts";

/** One call to an outside service. */
export interface Call {
  /** What it does, as it reads after "Cannot": `send a message`. */
  readonly what: string;
  readonly url: URL;
  /** GET when absent. */
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array<ArrayBuffer>;
  /** Whether a repeat does no harm; when absent, the method tells (RFC 9110, section 9.2.2). */
  readonly idempotent?: boolean;
  /** Whether nothing changes on the other side but what reading needs, such as a token; when absent, the method tells. */
  readonly reads?: boolean;
  /** Whether only reads are made, since the kind that asks runs in shadow. */
  readonly shadow: boolean;
  readonly signal: AbortSignal;
  /** From the first packet to the last byte of the answer; 10 when absent. */
  readonly deadlineSeconds?: number;
  /** What is read of the answer; 1 MiB when absent. The rest is refused. */
  readonly maxBodyBytes?: number;
}

/** An answer that has been read: it holds no connection. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Uint8Array<ArrayBuffer>;
  /** The body as JSON, or undefined when it is none: a proxy may have answered with a page of its own. */
  json(): unknown;
}

const READING_METHODS = new Set(["GET", "HEAD", "OPTIONS"]);
const IDEMPOTENT_METHODS = new Set(["GET", "HEAD", "OPTIONS", "PUT", "DELETE"]);

// Without idle connections: when a kept one turns out to be closed, the runtime sends the request again by itself, POST too.
const client = Deno.createHttpClient({ poolMaxIdlePerHost: 0 });

/**
 * Makes a call and reads its answer, whatever its status. Redirects are not followed.
 * Throws TemporaryError when nothing can have happened on the other side, or when a repeat does no harm;
 * OutcomeUnknownError when the call may have taken effect and a repeat could do it twice;
 * ShadowError in shadow, unless the call is a read.
 */
export async function call(request: Call): Promise<Answer> {
  const { url, method = "GET", headers, body, deadlineSeconds = 10 } = request;
  if (request.shadow && !(request.reads ?? READING_METHODS.has(method))) throw refusal(request);
  if (request.signal.aborted) throw failure(request, "aborted before it began", true);
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(), deadlineSeconds * 1000);
  const signal = AbortSignal.any([request.signal, deadline.signal]);
  try {
    const response = await fetch(url, {
      method,
      headers,
      body,
      signal,
      client,
      redirect: "manual",
    });
    return await read(response, request.maxBodyBytes ?? 2 ** 20);
  } catch (error) {
    if (deadline.signal.aborted) throw failure(request, `no whole answer in ${deadlineSeconds} s`);
    if (request.signal.aborted) throw failure(request, "the call was aborted");
    throw failure(request, reason(error), wasNeverSent(error));
  } finally {
    clearTimeout(timer);
  }
}

async function read(response: Response, maxBytes: number): Promise<Answer> {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  try {
    for await (const chunk of response.body ?? []) {
      chunks.push(chunk.subarray(0, maxBytes - size));
      size += chunk.length;
      if (size >= maxBytes) break; // which cancels the rest
    }
  } catch (error) {
    // The status of a refusal says enough; of a success, the answer is what was asked for.
    if (response.ok) throw error;
  }
  const body = new Uint8Array(await new Blob(chunks).arrayBuffer());
  return { status: response.status, headers: response.headers, body, json: () => json(body) };
}

function json(body: Uint8Array<ArrayBuffer>): unknown {
  try {
    return parseJson(new TextDecoder().decode(body));
  } catch {
    return undefined;
  }
}

function refusal({ what }: Call): Error {
  return new ShadowError(
    `Cannot ${what}: its kind runs in shadow, where only reads are made; let the handler do it by ctx.effect()`,
  );
}

function failure(request: Call, why: string, neverSent = false): Error {
  const message = `Cannot ${request.what}: ${request.url.host}: ${why}`;
  const idempotent = request.idempotent ?? IDEMPOTENT_METHODS.has(request.method ?? "GET");
  if (neverSent || idempotent) {
    return new TemporaryError(`${message}; try again, or see whether it can be reached from here`);
  }
  return new OutcomeUnknownError(
    `${message}; it may have taken effect: look there before it is repeated`,
  );
}

// Seen on Deno 2.9.6: "error sending request for <url>: client error (Connect): <reason>" for DNS, refused connections
// and TLS; "client error (SendRequest)" for all that fails once the request may be on its way.
function wasNeverSent(error: unknown): boolean {
  return error instanceof Deno.errors.NotCapable || /: client error \(Connect\)/.test(cause(error));
}

// The runtime's own messages hold the URL, and a URL may hold a token: only what follows it is kept.
function reason(error: unknown): string {
  if (error instanceof Deno.errors.NotCapable) return "this process has no permission to reach it";
  return /: client error \(\w+\): (.+)$/s.exec(cause(error))?.[1] ?? "the connection broke";
}

function cause(error: unknown): string {
  return error instanceof Error && error.cause instanceof Error ? error.cause.message : "";
}
