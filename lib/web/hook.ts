/**
 * The life of a request to `/hooks/:source`, or to `/hooks/:source/:secret`, from its first byte to its answer.
 * @module
 */
import { STATUS_CODE } from "@std/http/status";
import type { App } from "../app.ts";
import { createDelivery } from "../base/delivery.ts";
import { shownPath } from "../base/hook_path.ts";
import type { Delivery, Outcome, Source } from "../contract.ts";
import { type Intake, UnavailableError } from "../flow/intake.ts";
import type { ProofWatch } from "../flow/proofs.ts";
import { receive } from "../flow/receive.ts";
import { notFound, refusal } from "./answer.ts";
import { type Body, readBody } from "./body.ts";

/** The largest body taken, in bytes, unless the source says otherwise. */
export const MAX_BODY_BYTES = 1024 * 1024;
/** How long a whole body may take to arrive. */
export const BODY_DEADLINE_MS = 5000;

/** What the routes work with. */
export interface Receiving {
  readonly app: App;
  readonly intake: Intake;
  readonly proofs: ProofWatch;
  /** Whether it is about to stop, so that its proxy shall send to another one; never when absent. */
  isDraining?(): boolean;
  /** BODY_DEADLINE_MS when absent. */
  readonly bodyDeadlineMs?: number;
}

/** Where a request came from and whom it is for. */
export interface Address {
  readonly source: string;
  /** What follows the source in the path. */
  readonly pathSecret?: string;
  /** Address of the sender, as far as it can be known. */
  readonly remote: string;
}

/** Answers one request to a hook. Throws only what is a fault of ours or of a source's code. */
export async function answerHook(
  receiving: Receiving,
  request: Request,
  { source: name, pathSecret, remote }: Address,
): Promise<Response> {
  const { app, proofs, bodyDeadlineMs: deadlineMs = BODY_DEADLINE_MS } = receiving;

  // 1. Is this anybody's address, and is it used as agreed?
  const source = app.registry.sources.get(name);
  if (source === undefined) return notFound();
  if (pathSecret !== undefined && !source.secretInPath) return notFound();
  if (request.method !== "POST") return methodNotAllowed();
  if (!isIdentity(request.headers.get("content-encoding"))) return unsupportedEncoding();

  // 2. Its bytes, before anybody looks into them.
  const maxBytes = source.maxBodyBytes ?? MAX_BODY_BYTES;
  const body = await readBody(request, { maxBytes, deadlineMs });
  if (body.is !== "whole") return refuseBody(body.is, maxBytes);
  const delivery = createDelivery({
    headers: withoutSecret(request.headers, pathSecret),
    body: body.bytes,
    url: shownUrl(request.url),
    remote,
  });

  // 3. The proof comes before everything that the content could decide.
  const proof = await source.verify({ ...delivery, pathSecret });
  if (!proof.ok) {
    proofs.refused(name, proof.why, remote);
    // Why is for the operator only: it would help whoever guesses.
    return refusal(STATUS_CODE.Unauthorized, "The request is not proven to be from its sender");
  }
  proofs.proven(name);

  // 4. Durable first, then the answer.
  try {
    const outcome = await receive(app, receiving.intake, name, delivery, proof.secret);
    note(app, name, outcome);
    return accepted(source, delivery, outcome);
  } catch (error) {
    if (error instanceof UnavailableError) return unavailable(error.retryAfterSeconds);
    throw error;
  }
}

/** What nobody but `verify` is given, nobody can store or log. */
function shownUrl(address: string): URL {
  const url = new URL(address);
  url.pathname = shownPath(url.pathname);
  return url;
}

/** Some proxies repeat the whole path in a header of their own, and headers are stored. */
function withoutSecret(headers: Headers, pathSecret: string | undefined): Headers {
  if (pathSecret === undefined) return headers;
  return new Headers([...headers].filter(([_, value]) => !value.includes(pathSecret)));
}

function accepted(source: Source, delivery: Delivery, outcome: Outcome): Response {
  if (source.accepted) return source.accepted(delivery, outcome);
  const { id } = outcome;
  const body = outcome.duplicate ? { duplicate: true, id } : { id, jobs: outcome.jobs };
  return Response.json(body, { status: STATUS_CODE.Accepted });
}

function note({ log }: App, source: string, outcome: Outcome): void {
  const { id } = outcome;
  if (outcome.duplicate) log.info(`duplicate of event ${id ?? "unknown"}`, { source, event: id });
  else if (outcome.error === undefined) log.debug("event stored", { source, event: id });
  else log.error("event kept without jobs", { source, event: id, why: outcome.error });
}

/** Some senders try GET, HEAD or OPTIONS first. None that is served here needs an answer to it. */
function methodNotAllowed(): Response {
  return refusal(STATUS_CODE.MethodNotAllowed, "A hook takes POST only", { allow: "POST" });
}

/** Unpacking would need a limit of its own, and senders disagree which of the two forms they sign. */
function unsupportedEncoding(): Response {
  const error = "The body must come as it is, without a content encoding (identity)";
  return refusal(STATUS_CODE.UnsupportedMediaType, error, { "accept-encoding": "identity" });
}

function isIdentity(contentEncoding: string | null): boolean {
  return ["", "identity"].includes(contentEncoding?.trim().toLowerCase() ?? "");
}

function refuseBody(why: Exclude<Body["is"], "whole">, maxBytes: number): Response {
  switch (why) {
    case "too_large":
      return refusal(STATUS_CODE.ContentTooLarge, `The body is larger than ${maxBytes} bytes`);
    case "too_slow":
      return refusal(STATUS_CODE.RequestTimeout, "The body took too long to arrive", {
        connection: "close",
      });
    case "broken":
      return unavailable(1);
  }
}

function unavailable(retryAfterSeconds: number): Response {
  const error = "The delivery was not stored; send it again later";
  return refusal(STATUS_CODE.ServiceUnavailable, error, { "retry-after": `${retryAfterSeconds}` });
}
