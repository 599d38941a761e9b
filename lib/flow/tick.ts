/**
 * What happens by itself, twice a minute: schedules fall due, the oldest job, silent sources and backups are looked at, alerts are sent.
 * @module
 */
import type { App } from "../app.ts";
import { repeat } from "../base/repeat.ts";
import { raiseAlert } from "../db/alerts.ts";
import { getOldestDueSeconds } from "../db/health.ts";
import { sendDueAlerts } from "./alert.ts";
import { watchBackups } from "./doctor_backups.ts";
import { listHeldKinds } from "./lane.ts";
import type { Outage } from "./outage.ts";
import { fireDueSlots } from "./schedule.ts";
import { beatForSources, watchSilence } from "./watch.ts";

const TICK_MS = 30_000;
const QUIET_MINUTES = 60;

/** The ticks of a process. */
export interface Tick {
  /** Ticks at once: something happened that a human should hear of. */
  soon(): void;
  stop(): Promise<void>;
}

/**
 * Starts ticking. The receiver ticks too, so that workers that are all dead are noticed; in place of schedules it says that it is
 * there. Each step has a loop of its own: neither a schedule that fails nor a Telegram that is slow may hold up the others.
 */
export function startTick(app: App, outage: Outage, options: { schedules: boolean }): Tick {
  const loop = (step: (app: App) => Promise<void>) => {
    const part = outage.part();
    const work = () => step(app).then(() => part.over());
    return repeat(TICK_MS, work, (error) => part.failed(error));
  };
  const sending = loop(sendDueAlerts);
  const own = options.schedules ? fireDueSlots : beatForSources;
  const others = [watchOldestDue, watchSilence, watchBackups, own].map(loop);
  return {
    soon: () => sending.soon(),
    async stop() {
      await Promise.all([sending, ...others].map((part) => part.stop()));
    },
  };
}

/** Asks for an alert when the oldest due job waits for too long: workers are dead, stuck, or too few. */
export async function watchOldestDue(
  app: Pick<App, "db" | "config" | "registry">,
): Promise<void> {
  const seconds = await getOldestDueSeconds(app.db, await listHeldKinds(app));
  const minutes = Math.floor(seconds / 60);
  if (minutes < app.config.OLDEST_DUE_ALERT_MINUTES) return;
  const text = `The oldest due job has been waiting for ${minutes} minutes: ` +
    "the workers are stopped, stuck, or too few\nhookwork status";
  await raiseAlert(app.db, { topic: "oldest due job", text, quietMinutes: QUIET_MINUTES });
}
