/**
 * The receiver's site: every address it answers, and what holds for all of them.
 * @module
 */
import { STATUS_CODE } from "@std/http/status";
import { type Route, route } from "@std/http/unstable-route";
import { describeError } from "../base/errors.ts";
import { shownPath } from "../base/hook_path.ts";
import { networksOf } from "../base/networks.ts";
import { checkReadiness, type Readiness } from "../flow/ready.ts";
import { notFound, refusal } from "./answer.ts";
import { clientAddress } from "./client_address.ts";
import { answerHook, type Receiving } from "./hook.ts";

/** Answers one request; made for `Deno.serve`. Never throws. */
export type RequestHandler = (
  request: Request,
  info: Deno.ServeHandlerInfo<Deno.NetAddr>,
) => Promise<Response>;

/** Makes the function that answers every request of the receiver. */
export function createHandler(receiving: Receiving): RequestHandler {
  const isTrusted = networksOf(receiving.app.config.TRUSTED_PROXIES);
  const remoteOf = ({ headers }: Request, peer: string) =>
    clientAddress(peer, headers.get("x-forwarded-for"), isTrusted);
  const site: Route[] = [
    {
      pattern: new URLPattern({ pathname: "/hooks/:source/:secret?" }),
      handler: (request, { pathname }, info) =>
        answerHook(receiving, request, {
          source: pathname.groups.source!,
          pathSecret: pathname.groups.secret,
          remote: remoteOf(request, (info!.remoteAddr as Deno.NetAddr).hostname),
        }),
    },
    {
      pattern: new URLPattern({ pathname: "/health" }),
      method: ["GET", "HEAD"],
      handler: () => answerHealth(receiving.isDraining?.() ?? false),
    },
    {
      pattern: new URLPattern({ pathname: "/ready" }),
      method: ["GET", "HEAD"],
      handler: answerReady(receiving),
    },
  ];
  const answer = route(site, notFound);
  return async (request, info) => {
    try {
      return await answer(request, info);
    } catch (error) {
      return failed(receiving, request, error);
    }
  };
}

/** The operator's log gets the stack, the sender a word. */
function failed({ app }: Receiving, request: Request, error: unknown): Response {
  const path = shownPath(URL.parse(request.url)?.pathname ?? "");
  const stack = error instanceof Error ? error.stack : undefined;
  app.log.error("cannot answer a request", { path, why: describeError(error), stack });
  return refusal(STATUS_CODE.InternalServerError, "The request could not be answered");
}

/** By a 503 a proxy learns, before the port is closed, that the next delivery shall go to another receiver. */
function answerHealth(draining: boolean): Response {
  if (!draining) return Response.json({ alive: true });
  return Response.json({ alive: true, draining }, { status: STATUS_CODE.ServiceUnavailable });
}

/** However many ask at once, the database is asked once: this address needs no proof. */
function answerReady({ app }: Receiving): () => Promise<Response> {
  let looking: Promise<Readiness> | undefined;
  return async () => {
    looking ??= checkReadiness(app).finally(() => looking = undefined);
    const readiness = await looking;
    const status = readiness.ready ? STATUS_CODE.OK : STATUS_CODE.ServiceUnavailable;
    return Response.json(readiness, { status });
  };
}
