/**
 * Says whether deliveries can be stored now, and what is wrong.
 * @module
 */
import type { App } from "../app.ts";
import { describeError } from "../base/errors.ts";
import { listAlertProblems } from "../db/alerts.ts";
import { getOldestDueSeconds } from "../db/health.ts";
import { listPendingMigrations } from "../db/migrate.ts";

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
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${deadlineMs} ms`)), deadlineMs);
  });
  try {
    return await Promise.race([look(app), late]);
  } catch (error) {
    const why = app.redact(describeError(error));
    return { ready: false, problems: [`The database cannot be used: ${why}`], warnings: [] };
  } finally {
    clearTimeout(timer);
  }
}

async function look(app: App): Promise<Readiness> {
  const pending = await listPendingMigrations(app.db);
  if (pending.length > 0) {
    const problem = `Migrations are not applied: ${pending.join(", ")}; run \`hookwork migrate\``;
    return { ready: false, problems: [problem], warnings: [] };
  }
  const warnings = (await listAlertProblems(app.db)).map((why) => `Alerts do not arrive: ${why}`);
  const minutes = Math.floor(await getOldestDueSeconds(app.db) / 60);
  if (minutes >= app.config.OLDEST_DUE_ALERT_MINUTES) {
    warnings.push(`The oldest due job has been waiting for ${minutes} minutes`);
  }
  return { ready: true, problems: [], warnings };
}
