/**
 * Says whether deliveries can be stored now, and what is wrong.
 * @module
 */
import type { App } from "../app.ts";
import { describeError } from "../base/errors.ts";
import { inTime } from "../base/repeat.ts";
import { listAlertProblems } from "../db/alerts.ts";
import { getExpiredLeases, getOldestDueSeconds } from "../db/health.ts";
import { listLanes } from "../db/lanes_view.ts";
import { listPendingMigrations } from "../db/migrate.ts";
import { judgeMigrations } from "./doctor_database.ts";
import { judgeLanes } from "./doctor_order.ts";
import { judgeAlerts, judgeLeases, judgeOldestDue } from "./doctor_queue.ts";
import { listHeldKinds } from "./lane.ts";

const DEADLINE_MS = 1500;

/** What a load balancer and an operator want to know. */
export interface Readiness {
  readonly ready: boolean;
  /** Why deliveries cannot be stored. */
  readonly problems: readonly string[];
  /** What a human should look at although deliveries are stored. */
  readonly warnings: readonly string[];
}

/** Looks; never throws, and answers within 1.5 s. */
export async function checkReadiness(app: App, deadlineMs = DEADLINE_MS): Promise<Readiness> {
  try {
    return await inTime(
      deadlineMs,
      look(app),
      () => new Error(`no answer within ${deadlineMs} ms`),
    );
  } catch (error) {
    const why = app.redact(describeError(error));
    return { ready: false, problems: [`The database cannot be used: ${why}`], warnings: [] };
  }
}

/** Of the doctor's questions the quick ones: a load balancer asks often, and the answer has a deadline. */
async function look(app: App): Promise<Readiness> {
  const migrations = judgeMigrations(await listPendingMigrations(app.db));
  if (migrations.level === "bad") {
    const problem = `${migrations.detail}; run \`${migrations.remedy}\``;
    return { ready: false, problems: [problem], warnings: [] };
  }
  const findings = [
    ...judgeAlerts(await listAlertProblems(app.db)),
    judgeOldestDue(await getOldestDueSeconds(app.db, await listHeldKinds(app)), app.config),
    judgeLeases(await getExpiredLeases(app.db)),
    ...judgeLanes(await listLanes(app.db, "failing"), app.config),
  ];
  const warnings = findings.filter(({ level }) => level === "bad").map(({ detail }) => detail);
  return { ready: true, problems: [], warnings };
}
