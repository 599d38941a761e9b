/**
 * The life of a long-running process: it starts or says why not, stops when it is told to, and exits with a code.
 * @module
 */
import type { App } from "./app.ts";
import { ConfigError, describeError } from "./base/errors.ts";
import { startWatchdog, type Watchdog } from "./base/watchdog.ts";
import { version } from "./version.ts";
import { type ProcessOptions, wire } from "./wire.ts";

const EXIT_FAILED = 1;
/** The command line is not understood. */
const EXIT_USAGE = 2;
/** EX_CONFIG of sysexits.h: starting again would not help. */
const EXIT_CONFIGURATION = 78;

/** Ctrl-C reaches a process under `deno task` twice, from the terminal and from the task: that is one signal. */
const ECHO_MS = 500;

/** SIGHUP too: a closed terminal is no reason to drop what is under way. */
const STOP_SIGNALS = ["SIGTERM", "SIGINT", "SIGHUP"] as const;

/** Something that runs until it is stopped. Stopped a second time, it hurries. */
export interface Service {
  stop(): Promise<void>;
  /** Resolves when it cannot go on, with the reason: then a fresh process is better than this one. */
  readonly failed: Promise<Error>;
}

/** What a process was started with. */
export interface Surroundings {
  /** Nothing, or `--version`. */
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

/** Runs a service until SIGTERM or SIGINT, and ends the process. A watchdog, unless switched off, ends it when it stands still. */
export async function runService(
  { args, environment }: Surroundings,
  options: ProcessOptions,
  start: (app: App, watchdog?: Watchdog) => Service,
): Promise<never> {
  if (args.length > 0) answerAndExit(args, options.application);
  const app = wireOrExit(environment, options);
  surviveStrayRejections(app);
  using watchdog = watch(app, options);
  const service = startOrExit(app, () => start(app, watchdog));
  const stopped = stopOnSignal(service);
  app.log.info("started", { version });
  const failure = await Promise.race([stopped, service.failed]);
  if (failure) {
    app.log.error("cannot go on; a supervisor shall start it anew", { why: failure.message });
    await service.stop();
  }
  await Promise.all([app.db.close(), app.queueDb.close(), app.handlerDb.close()]);
  app.log.info("stopped");
  // A handler that ignores its signal must not keep the process alive.
  Deno.exit(failure ? EXIT_FAILED : 0);
}

function answerAndExit(args: readonly string[], application: string): never {
  if (args.length === 1 && args[0] === "--version") {
    // deno-lint-ignore no-console -- an answer to a person is no line of the log
    console.log(`${application} ${version}`);
    Deno.exit(0);
  }
  // deno-lint-ignore no-console -- without a configuration there is no log
  console.error(
    `Cannot start: ${application} takes settings and no arguments, but --version alone`,
  );
  Deno.exit(EXIT_USAGE);
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

/** A service that cannot start must not end with 0, which would tell a supervisor that all is well. */
function startOrExit(app: App, start: () => Service): Service {
  try {
    return start();
  } catch (error) {
    app.log.error("cannot start", { why: describeError(error) });
    Deno.exit(EXIT_FAILED);
  }
}

/** Both services: a receiver that stands still takes nothing, and a supervisor starts anew only what has ended. */
function watch({ config, redact }: App, { application }: ProcessOptions): Watchdog | undefined {
  const { STALL_SECONDS: stallSeconds, LOG_FORMAT: format } = config;
  if (stallSeconds === 0) return undefined;
  return startWatchdog({ stallSeconds, format, redact, process: application });
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
    for (const signal of STOP_SIGNALS) Deno.addSignalListener(signal, stop);
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
