/**
 * The ports that the parts of Hookwork hand to each other: the log, the lanes of outside services, the gaps, the alerts.
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

/** A time in which deliveries of a source may have been lost. */
export interface Gap {
  /** Null for the time that has passed since the last reconciliation, of which no loss is known. */
  readonly id: string | null;
  readonly source: string;
  readonly from: Date;
  readonly to: Date;
  readonly reason: string;
}

/** What is known of lost deliveries. Only who asks the other side what happened may close a gap. */
export interface Gaps {
  /** What is to be reconciled: gaps, the oldest first, then the time since the last reconciliation; all of it settled. */
  due(source: string, options: { readonly settleSeconds: number }): Promise<Gap[]>;
  close(gap: Gap, result: string): Promise<void>;
  /** Deliveries do not come, since the newest event; once while that lasts. */
  begin(source: string, reason: string): Promise<void>;
  /** They come again. */
  end(source: string): Promise<void>;
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
