/**
 * The receiver: listens for deliveries, and stops without losing one.
 * @module
 */
import { STATUS_CODE } from "@std/http/status";
import type { App } from "../app.ts";
import { describeError, RefusedError } from "../base/errors.ts";
import { sleep, within } from "../base/repeat.ts";
import { createIntake } from "../flow/intake.ts";
import { watchOutage } from "../flow/outage.ts";
import { watchProofs } from "../flow/proofs.ts";
import { startTick } from "../flow/tick.ts";
import { createHandler, type RequestHandler } from "./routes.ts";

/** For the requests under way at a stop: more than the intake's deadline, far less than a supervisor's patience. */
export const GRACE_MS = 5000;
/** For what goes on beside them. */
const DRAIN_MS = 2000;

/** Something that listens. */
export interface Server {
  /** The port, also when any free one was asked for. */
  readonly port: number;
  /**
   * Drains, then takes nothing new and answers the requests under way, but waits for them no longer
   * than the grace. Called again, it does not wait any more.
   */
  stop(): Promise<void>;
  /** Whether a stop has begun. */
  isDraining(): boolean;
  /** Resolves when it no longer listens although nobody stopped it. */
  readonly failed: Promise<Error>;
}

/** Where to listen, and how long requests under way may take at a stop. */
export interface ServeOptions {
  readonly hostname: string;
  readonly port: number;
  /** GRACE_MS when absent. */
  readonly graceMs?: number;
  /** How long everything is served as before when a stop begins; 0 when absent. */
  readonly drainMs?: number;
}

/** Starts the receiver on HOST and PORT. Throws RefusedError when it cannot listen there. */
export function startReceiver(app: App): Server {
  const { HOST: hostname, PORT: port, DRAIN_SECONDS: drainSeconds } = app.config;
  const outage = watchOutage(app, "receiver");
  const intake = createIntake(app, outage);
  const isDraining = () => server.isDraining();
  const handler = createHandler({ app, intake, proofs: watchProofs(app), isDraining });
  const server = serve(app, handler, { hostname, port, drainMs: drainSeconds * 1000 });
  const tick = startTick(app, outage.part(), { schedules: false });
  return {
    port: server.port,
    failed: server.failed,
    isDraining,
    async stop() {
      await server.stop();
      // An alert under way may be cut off: its row stays, and another process sends it.
      await within(DRAIN_MS, Promise.all([intake.idle(), tick.stop()]));
    },
  };
}

/** Serves a handler over HTTP. Throws RefusedError when it cannot listen there. */
export function serve(
  { log }: Pick<App, "log">,
  handler: RequestHandler,
  { hostname, port, graceMs = GRACE_MS, drainMs = 0 }: ServeOptions,
): Server {
  const server = listen({
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
  const hurry = new AbortController();
  const drain = async () => {
    // A shutdown also closes the connections that a proxy keeps, with what is just arriving on them.
    await sleep(drainMs, hurry.signal);
    await within(graceMs, server.shutdown(), hurry.signal);
  };
  let stopping: Promise<void> | undefined;
  const failed = Promise.withResolvers<Error>();
  // Deno stops listening when it cannot accept, for instance without file descriptors, and says so here only.
  const noteEnd = (why: string) =>
    stopping ?? failed.resolve(new Error(`no longer listens: ${why}`));
  server.finished.then(() => noteEnd("the server ended"), (error) => noteEnd(describeError(error)));
  return {
    failed: failed.promise,
    port: server.addr.port,
    isDraining: () => stopping !== undefined,
    stop() {
      if (stopping) hurry.abort();
      return stopping ??= drain();
    },
  };
}

function listen(
  options: Deno.ServeTcpOptions,
  handler: RequestHandler,
): Deno.HttpServer<Deno.NetAddr> {
  try {
    return Deno.serve(options, handler);
  } catch (cause) {
    const { hostname, port } = options;
    const remedy = "end the other process, or set HOST and PORT to what is free on this machine";
    throw new RefusedError(`Cannot listen on ${hostname}:${port}; ${remedy}`, { cause });
  }
}
