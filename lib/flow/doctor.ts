/**
 * The doctor: looks at all that usually goes wrong, and says of each how it is and what helps.
 * @module
 */
import type { App } from "../app.ts";
import { listPendingMigrations } from "../db/migrate.ts";
import { judgeBackups } from "./doctor_backups.ts";
import {
  judgeClock,
  judgeMigrations,
  judgeRows,
  judgeSizes,
  judgeTransaction,
} from "./doctor_database.ts";
import { judgeHeld, judgeLanes } from "./doctor_order.ts";
import {
  judgeAlerts,
  judgeGaps,
  judgeLeases,
  judgeOldestDue,
  judgeRetention,
  judgeRun,
  judgeStrangers,
  judgeUnrouted,
  judgeWorkers,
} from "./doctor_queue.ts";
import type { Finding, Limits } from "./finding.ts";
import { takeVitals, type Vitals } from "./vitals.ts";

/**
 * Examines the database of this process. Without the migrations of this version there is nothing else to examine.
 * `now` is this machine's clock in ms.
 */
export async function examine(
  app: Pick<App, "config" | "db" | "registry">,
  now: () => number = () => Date.now(),
): Promise<Finding[]> {
  const migrations = judgeMigrations(await listPendingMigrations(app.db));
  if (migrations.level === "bad") return [migrations];
  return [migrations, ...judge(await takeVitals(app, now), app.config)];
}

/** Says how each thing is, from numbers alone. */
export function judge(vitals: Vitals, limits: Limits): Finding[] {
  return [
    judgeOldestDue(vitals.oldestDueSeconds, limits),
    judgeStrangers(vitals.strangers, limits),
    judgeLeases(vitals.leases),
    judgeRun(vitals.run),
    ...judgeLanes(vitals.lanes, limits),
    judgeHeld(vitals.held),
    judgeWorkers(vitals.sessions, limits),
    ...judgeAlerts(vitals.alertProblems),
    judgeUnrouted(vitals.unrouted),
    ...judgeGaps(vitals.gaps),
    judgeBackups(vitals.backups, limits),
    judgeTransaction(vitals.transaction, vitals.sessions.hidden),
    judgeRows(vitals.rows),
    judgeRetention(vitals.retentionSeconds),
    judgeClock(vitals.clockSeconds),
    judgeSizes(vitals.sizes),
  ];
}
