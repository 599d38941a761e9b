/**
 * The ports that the parts of Hookwork hand to each other: the log, the lanes of outside services, the alerts.
 * @module
 */

/** Writes one line of log; properties become fields of the line. */
export interface Log {
  debug(message: string, properties?: Record<string, unknown>): void;
  info(message: string, properties?: Record<string, unknown>): void;
  warn(message: string, properties?: Record<string, unknown>): void;
  error(message: string, properties?: Record<string, unknown>): void;
  /** The same log with these properties on each line. */
  with(properties: Record<string, unknown>): Log;
}

/** The way of every call to an outside service that many jobs use. */
export interface Lanes {
  /**
   * Makes a call when it is its turn in the lane: `telegram`, or within it `telegram:<chat>`. An error of the call that names
   * a lane pauses that lane for every worker; a call that is answered shows that its lane works.
   * Throws LaneHeldError when the lane is paused, now or by this very call, or when its turn would come too late; else what
   * the call throws.
   */
  through<T>(lane: string, call: () => Promise<T>, options?: { perSecond?: number }): Promise<T>;
}

/** What became of an alert that was sent. */
export type AlertOutcome =
  | { readonly is: "sent" }
  /** It will not succeed as it is: a wrong token or chat. */
  | { readonly is: "refused"; readonly why: string }
  /** It certainly did not arrive. */
  | { readonly is: "failed"; readonly why: string; readonly retryAfterSeconds?: number }
  /** It may have arrived. */
  | { readonly is: "unknown"; readonly why: string };

/** Tells a human. Never throws. */
export interface Alerts {
  alert(text: string): Promise<AlertOutcome>;
}
