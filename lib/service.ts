/**
 * The life of a long-running process: it starts or says why not, stops when it is told to, and exits with a code.
 * @module
 */
import type { App } from "./app.ts";
import { ConfigError, describeError } from "./base/errors.ts";
import { type ProcessOptions, wire } from "./wire.ts";

/** EX_CONFIG of sysexits.h: starting again would not help. */
const EXIT_CONFIGURATION = 78;

/** Ctrl-C reaches a process under `deno task` twice, from the terminal and from the task: that is one signal. */
const ECHO_MS = 500;

/** Something that runs until it is stopped. Stopped a second time, it hurries. */
export interface Service {
  stop(): Promise<void>;
}

/** Runs a service until SIGTERM or SIGINT, and ends the process. */
export async function runService(
  environment: Readonly<Record<string, string>>,
  options: ProcessOptions,
  start: (app: App) => Service,
): Promise<never> {
  const app = wireOrExit(environment, options);
  surviveStrayRejections(app);
  const service = start(app);
  const stopped = stopOnSignal(service);
  app.log.info("started");
  await stopped;
  await Promise.all([app.db.close(), app.handlerDb.close()]);
  app.log.info("stopped");
  // A handler that ignores its signal must not keep the process alive.
  Deno.exit(0);
}

function wireOrExit(environment: Readonly<Record<string, string>>, options: ProcessOptions): App {
  try {
    return wire(environment, options);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    // deno-lint-ignore no-console -- without a configuration there is no log
    console.error(error.message);
    Deno.exit(EXIT_CONFIGURATION);
  }
}

/** The first signal stops the service, a later one hurries it. */
function stopOnSignal(service: Service): Promise<void> {
  return new Promise((resolve, reject) => {
    let firstMs = Infinity;
    const stop = () => {
      const sinceFirstMs = performance.now() - firstMs;
      if (sinceFirstMs >= 0 && sinceFirstMs < ECHO_MS) return;
      firstMs = Math.min(firstMs, performance.now());
      service.stop().then(resolve, reject);
    };
    Deno.addSignalListener("SIGTERM", stop);
    Deno.addSignalListener("SIGINT", stop);
  });
}

/**
 * Logs and counts rejections that nobody awaited, instead of dying with all that is under way.
 * Errors that were thrown and not caught still end the process: the driver may be broken by then.
 */
function surviveStrayRejections({ log }: App): void {
  let strays = 0;
  globalThis.addEventListener("unhandledrejection", (event) => {
    event.preventDefault();
    strays++;
    log.error("a rejection was not handled", { why: describeError(event.reason), strays });
  });
}
