/**
 * What all benches share.
 * @module
 */
import type { Peers } from "./peers.ts";
import type { Launcher } from "./programs.ts";
import type { Report } from "./report.ts";
import type { Server } from "./server.ts";

/** One run of the bench. */
export interface Bench {
  readonly server: Server;
  readonly launcher: Launcher;
  /** Undefined when only Hookwork itself is measured. */
  readonly peers: Peers | undefined;
  readonly report: Report;
  /** How often everything is measured. */
  readonly rounds: number;
  /** A count of rows or jobs in the size of this run, at least 1. */
  scaled(count: number): number;
  /** A length of time in the size of this run, at least half a second. */
  scaledSeconds(seconds: number): number;
}
