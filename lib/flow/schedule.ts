/**
 * Turns schedules into jobs, one a slot, by the database's clock.
 * @module
 */
import type { App } from "../app.ts";
import { latestSlot } from "../base/slot.ts";
import { fireSlot, getDatabaseTime, getLastSlots, rememberSchedule } from "../db/schedules.ts";

/** A slot that is taken up later than this is marked: two ticks, and the time they need. */
const LATE_SECONDS = 90;

/** Makes the jobs of all slots that have fallen due. A schedule seen for the first time does not run for the past. */
export async function fireDueSlots(
  app: Pick<App, "db" | "config" | "registry" | "log">,
  at?: Temporal.Instant,
): Promise<void> {
  const now = at ?? await getDatabaseTime(app.db);
  const lastSlots = await getLastSlots(app.db);
  for (const schedule of app.registry.schedules) {
    const slot = latestSlot(schedule, now, app.config.TZ);
    const { name, kind } = schedule;
    if (!lastSlots.has(name)) await rememberSchedule(app.db, { name, slot: slot?.name ?? "" });
    else if (slot && slot.name > lastSlots.get(name)!) {
      const late = now.since(slot.at).total("seconds") > LATE_SECONDS;
      const job = await fireSlot(app.db, { name, kind, slot: slot.name, late });
      if (job) app.log.info("a schedule fell due", { schedule: name, slot: slot.name, late, job });
    }
  }
}
