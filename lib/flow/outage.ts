/**
 * Notices that the database cannot be used, tells a human once, and once more when it is over.
 * It goes around the table of alerts, which is as far away as the rest.
 * @module
 */
import type { App } from "../app.ts";
import { describeError } from "../base/errors.ts";

/** Shorter ones (a restart, a failover) end by themselves before a human could look. */
const ALERT_AFTER_MS = 10_000;
const LOG_EVERY_MS = 10_000;

/** What one part of a process reports to: intake, claims or ticks. */
export interface Outage {
  failed(error: unknown): void;
  /** This part can use the database; that ends the outage if it was the last to fail. */
  over(): void;
  /** The same outage for another part: on a full disk reads go on, and say nothing about writes. */
  part(): Outage;
}

/** Watches one process's use of the database. Never throws, never waits. */
export function watchOutage(
  app: Pick<App, "alerts" | "log" | "redact">,
  process: string,
  now: () => number = () => performance.now(),
): Outage {
  let since: number | undefined;
  let loggedAt = -Infinity;
  let failures = 0;
  let alerted = false;
  let lastFailed: Outage | undefined;
  const part = (): Outage => {
    const self: Outage = {
      part,
      failed(error) {
        lastFailed = self;
        since ??= now();
        failures++;
        const why = app.redact(describeError(error));
        if (now() - loggedAt >= LOG_EVERY_MS) {
          loggedAt = now();
          app.log.error("the database cannot be used", { why, failures });
        }
        if (alerted || now() - since < ALERT_AFTER_MS) return;
        alerted = true;
        app.alerts.alert(`Hookwork: the ${process} cannot use the database: ${why}`);
      },
      over() {
        if (since === undefined || lastFailed !== self) return;
        const seconds = Math.round((now() - since) / 1000);
        app.log.info("the database can be used again", { seconds, failures });
        if (alerted) {
          app.alerts.alert(
            `Hookwork: the ${process} can use the database again, after ${seconds} s`,
          );
        }
        since = undefined;
        loggedAt = -Infinity;
        failures = 0;
        alerted = false;
      },
    };
    return self;
  };
  return part();
}
