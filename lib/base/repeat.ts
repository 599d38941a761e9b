/**
 * Work that recurs until it is told to stop.
 * @module
 */

/** Waits; ends early, without an error, when the signal is aborted. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const done = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal?.addEventListener("abort", done);
  });
}

/** A length of time, changed by up to a fifth, so that processes started together do not act together. */
export function jittered(ms: number, random: () => number = Math.random): number {
  return ms * (0.8 + 0.4 * random());
}

/** Does something now and then again after each pause, until stopped. An error goes to `onError`, and the work goes on. */
export function repeat(
  pauseMs: number,
  work: () => Promise<unknown>,
  onError: (error: unknown) => void,
): { soon(): void; stop(): Promise<void> } {
  const stopping = new AbortController();
  let pause = new AbortController();
  let again = false;
  const loop = async () => {
    while (!stopping.signal.aborted) {
      again = false;
      await work().catch(onError);
      if (again) continue;
      pause = new AbortController();
      await sleep(jittered(pauseMs), AbortSignal.any([pause.signal, stopping.signal]));
    }
  };
  const ended = loop();
  return {
    /** Does it at once, or once more when it is under way. */
    soon() {
      again = true;
      pause.abort();
    },
    /** Waits for the work under way. */
    stop() {
      stopping.abort();
      return ended;
    },
  };
}

/** Waits for the work, at most `ms` and no longer than until `hurry`. What the work throws is thrown. */
export async function within(
  ms: number,
  work: Promise<unknown>,
  hurry?: AbortSignal,
): Promise<void> {
  const over = new AbortController();
  const signals = hurry ? [over.signal, hurry] : [over.signal];
  try {
    await Promise.race([work, sleep(ms, AbortSignal.any(signals))]);
  } finally {
    over.abort();
  }
}

/** What the work comes to, when it does so within `ms`; else throws what `late` gives. The work itself goes on. */
export async function inTime<T>(ms: number, work: PromiseLike<T>, late: () => Error): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const deadline = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late()), ms);
  });
  try {
    return await Promise.race([work, deadline]);
  } finally {
    clearTimeout(timer);
  }
}
