/**
 * What long work asks of whoever started it.
 * @module
 */

/** The one who waits for long work. */
export interface Watcher {
  /** Hears how far it is; called often. */
  progress(line: string): void;
  /** Stops it between two steps. */
  readonly signal: AbortSignal;
}
