/**
 * The end of a run, told to those who ask.
 * @module
 */

/**
 * An AbortController that makes its signal when it is asked for: most runs are over before anybody listens, and a signal with its
 * events costs more than a short run.
 */
export class Stop {
  #reason: unknown;
  #stopped = false;
  #controller: AbortController | undefined;
  /** Called once, when it is stopped, before the listeners of the signal. */
  onstop: (() => void) | undefined;

  get stopped(): boolean {
    return this.#stopped;
  }

  /** With what it was stopped. */
  get reason(): unknown {
    return this.#reason;
  }

  /** Aborted when it is stopped, for the same reason. */
  get signal(): AbortSignal {
    if (this.#controller) return this.#controller.signal;
    this.#controller = new AbortController();
    if (this.#stopped) this.#controller.abort(this.#reason);
    return this.#controller.signal;
  }

  /** Stops. The first reason stays. */
  now(reason: unknown): void {
    if (this.#stopped) return;
    this.#stopped = true;
    this.#reason = reason;
    this.onstop?.();
    this.#controller?.abort(reason);
  }

  throwIfStopped(): void {
    if (this.#stopped) throw this.#reason;
  }
}
