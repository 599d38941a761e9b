/**
 * Notices that a sender who used to be believed is refused again and again: a rotated secret, a changed format, a wrong clock.
 * @module
 */
import type { App } from "../app.ts";
import { describeError } from "../base/errors.ts";
import { raiseAlert } from "../db/alerts.ts";
import { hasEvents } from "../db/events.ts";

/** Refusals in a row that make an alert. */
const RUN = 10;
const QUIET_MINUTES = 60;

/** What the receiver reports each proof to. */
export interface ProofWatch {
  proven(source: string): void;
  refused(source: string, why: string, remote: string): void;
}

/** Watches the proofs of one process. Never throws, never waits. */
export function watchProofs(app: Pick<App, "db" | "log">): ProofWatch {
  const refusals = new Map<string, number>();
  const alertOnce = async (source: string, why: string) => {
    if (!await hasEvents(app.db, source)) return;
    const text = `${RUN} deliveries in a row to /hooks/${source} were not proven: ${why}\n` +
      "Was the secret changed on one side only?";
    await raiseAlert(app.db, {
      topic: `source ${source} not proven`,
      text,
      quietMinutes: QUIET_MINUTES,
    });
  };
  return {
    proven: (source) => void refusals.delete(source),
    refused(source, why, remote) {
      const run = (refusals.get(source) ?? 0) + 1;
      refusals.set(source, run);
      // Each power of two: whoever guesses must not fill the disk with log.
      if ((run & (run - 1)) === 0) {
        app.log.warn("a delivery was not proven", { source, why, remote, run });
      }
      // Again at each doubling: the first time the database may have been away, or the source new.
      if (run !== RUN && (run < RUN || (run & (run - 1)) !== 0)) return;
      alertOnce(source, why).catch((error) =>
        app.log.error("cannot ask for an alert", { why: describeError(error) })
      );
    },
  };
}
