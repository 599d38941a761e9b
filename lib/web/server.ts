/**
 * The receiver: listens for deliveries, and stops without losing one.
 * @module
 */
import { STATUS_CODE } from "@std/http/status";
import type { App } from "../app.ts";
import { describeError } from "../base/errors.ts";
import { createIntake } from "../flow/intake.ts";
import { watchOutage } from "../flow/outage.ts";
import { watchProofs } from "../flow/proofs.ts";
import { startTick } from "../flow/tick.ts";
import { createHandler, type RequestHandler } from "./routes.ts";

/** For the requests under way at a stop: more than the intake's deadline, far less than a supervisor's patience. */
const GRACE_MS = 5000;

/** Something that listens. */
export interface Server {
  /** The port, also when any free one was asked for. */
  readonly port: number;
  /**
   * Takes nothing new and answers the requests under way, but waits for them no longer than the
   * grace. Called again, it does not wait any more.
   */
  stop(): Promise<void>;
}

/** Where to listen, and how long requests under way may take at a stop. */
export interface ServeOptions {
  readonly hostname: string;
  readonly port: number;
  /** GRACE_MS when absent. */
  readonly graceMs?: number;
}

/** Starts the receiver on HOST and PORT. Throws Deno.errors.AddrInUse when the port is taken. */
export function startReceiver(app: App): Server {
  const { HOST: hostname, PORT: port } = app.config;
  const outage = watchOutage(app, "receiver");
  const intake = createIntake(app, outage);
  const handler = createHandler({ app, intake, proofs: watchProofs(app) });
  const server = serve(app, handler, { hostname, port });
  const tick = startTick(app, outage.part(), { schedules: false });
  return {
    port: server.port,
    async stop() {
      await server.stop();
      await Promise.all([intake.idle(), tick.stop()]);
    },
  };
}

/** Serves a handler over HTTP. Throws Deno.errors.AddrInUse when the port is taken. */
export function serve(
  { log }: Pick<App, "log">,
  handler: RequestHandler,
  { hostname, port, graceMs = GRACE_MS }: ServeOptions,
): Server {
  const server = Deno.serve({
    hostname,
    port,
    onListen: ({ hostname, port }) => log.info("listening", { hostname, port }),
    // Handlers do not throw: this is an answer that broke on its way.
    onError(error) {
      log.warn("cannot send an answer", { why: describeError(error) });
      return new Response(null, { status: STATUS_CODE.InternalServerError });
    },
  }, handler);
  // Deno.serve's own way to cut off, a signal, throws where nobody can catch it during a shutdown
  // (seen with 2.9.6). So what does not end is no longer waited for, and ends with the process.
  const enough = Promise.withResolvers<void>();
  const drain = async () => {
    const timer = setTimeout(enough.resolve, graceMs);
    await Promise.race([server.shutdown(), enough.promise]);
    clearTimeout(timer);
  };
  let stopping: Promise<void> | undefined;
  return {
    port: server.addr.port,
    stop() {
      if (stopping) enough.resolve();
      return stopping ??= drain();
    },
  };
}
