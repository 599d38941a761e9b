/**
 * Being told to stop.
 * @module
 */

const INTERRUPTED = 130;

/** Aborted by the first SIGINT, SIGTERM or SIGHUP. A second one ends the process, and with it all that it started. */
export function stopSignal(): AbortSignal {
  const controller = new AbortController();
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    Deno.addSignalListener(name, () => {
      if (controller.signal.aborted) Deno.exit(INTERRUPTED);
      controller.abort();
    });
  }
  return controller.signal;
}

/** Resolves when the signal is aborted. */
export function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve()));
}
