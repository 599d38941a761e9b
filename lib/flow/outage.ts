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
const TELL_AGAIN_MS = 60_000;
/** No time to tell is left. */
const TOLD = Infinity;

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
  let episode: Episode | undefined;
  const part = (): Outage => {
    const self: Outage = {
      part,
      failed(error) {
        episode ??= {
          sinceMs: now(),
          failures: 0,
          logAtMs: now(),
          tellAtMs: now() + ALERT_AFTER_MS,
        };
        episode.lastFailed = self;
        episode.failures++;
        const why = app.redact(describeError(error));
        if (now() >= episode.logAtMs) {
          episode.logAtMs = now() + LOG_EVERY_MS;
          app.log.error("the database cannot be used", { why, failures: episode.failures });
        }
        if (now() >= episode.tellAtMs) void tell(episode, why);
      },
      over() {
        if (episode?.lastFailed !== self) return;
        const seconds = Math.round((now() - episode.sinceMs) / 1000);
        const { failures, tellAtMs } = episode;
        app.log.info("the database can be used again", { seconds, failures });
        if (tellAtMs === TOLD) {
          const text = `Hookwork: the ${process} can use the database again, after ${seconds} s`;
          void app.alerts.alert(text);
        }
        episode = undefined;
      },
    };
    return self;
  };
  /** Once an episode; again after a minute when it certainly did not arrive. */
  const tell = async (told: Episode, why: string) => {
    told.tellAtMs = TOLD;
    const text = `Hookwork: the ${process} cannot use the database: ${why}`;
    const outcome = await app.alerts.alert(text);
    if (outcome.is === "sent" || outcome.is === "unknown") return;
    app.log.error("an alert did not reach a human", { why: app.redact(outcome.why) });
    told.tellAtMs = now() + TELL_AGAIN_MS;
  };
  return part();
}

/** One time of failures, from the first one on. */
interface Episode {
  readonly sinceMs: number;
  failures: number;
  logAtMs: number;
  tellAtMs: number;
  lastFailed?: Outage;
}
