/**
 * The receiver: listens for deliveries, and stops without losing one.
 * @module
 */
import type { App } from "../app.ts";
import { describeError } from "../base/errors.ts";
import { createIntake } from "../flow/intake.ts";
import { watchOutage } from "../flow/outage.ts";
import { watchProofs } from "../flow/proofs.ts";
import { startTick } from "../flow/tick.ts";
import { createHandler, type RequestHandler } from "./routes.ts";

/** For what is under way when the receiver stops: the body's deadline and the intake's, and a little more. */
const GRACE_MS = 7000;

/** Something that listens. */
export interface Server {
  /** The port, also when any free one was asked for. */
  readonly port: number;
  /** Takes no new connections, finishes the requests under way, and cuts off what is left after the grace. */
  stop(): Promise<void>;
}

/** Where to listen, and how long requests under way may take when the server stops. */
export interface ServeOptions {
  readonly hostname: string;
  readonly port: number;
  readonly graceMs?: number;
}

/** Starts the receiver on HOST and PORT. Throws Deno.errors.AddrInUse when somebody else listens there. */
export function startReceiver(app: App): Server {
  const { HOST: hostname, PORT: port } = app.config;
  const outage = watchOutage(app, "receiver");
  const intake = createIntake(app, outage);
  const handler = createHandler({ app, intake, proofs: watchProofs(app) });
  const server = serve(app, handler, { hostname, port });
  const tick = startTick(app, outage, { schedules: false });
  return {
    port: server.port,
    async stop() {
      app.log.info("stopping");
      await server.stop();
      await Promise.all([intake.idle(), tick.stop()]);
    },
  };
}

/** Serves a handler over HTTP. */
export function serve(
  { log }: Pick<App, "log">,
  handler: RequestHandler,
  { hostname, port, graceMs = GRACE_MS }: ServeOptions,
): Server {
  const cutOff = new AbortController();
  const server = Deno.serve({
    hostname,
    port,
    signal: cutOff.signal,
    onListen: (address) =>
      log.info("listening", { hostname: address.hostname, port: address.port }),
    // The handler does not throw: what comes here broke while the answer was being sent.
    onError(error) {
      log.warn("cannot send an answer", { why: describeError(error) });
      return new Response(null, { status: 500 });
    },
  }, handler);
  return {
    port: server.addr.port,
    async stop() {
      const timer = setTimeout(() => cutOff.abort(), graceMs);
      await server.shutdown();
      clearTimeout(timer);
    },
  };
}
