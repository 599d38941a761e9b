/**
 * The judgement of backups, for the doctor and for the alert: whether one has succeeded lately.
 * @module
 */
import type { App } from "../app.ts";
import { formatSeconds } from "../base/span.ts";
import { raiseAlert } from "../db/alerts.ts";
import { type BackupAge, getBackupAge } from "../db/backups.ts";
import { type Finding, judging, type Limits } from "./finding.ts";

const QUIET_MINUTES = 12 * 60;
const REMEDY = "run `hookwork backup` by hand and see what it says; see its timer";

/** How the backups are. Where none was ever begun nothing stands still, but somebody should know. */
export function judgeBackups({ seconds, succeeded }: BackupAge, limits: Limits): Finding {
  const judged = judging("backups");
  const hours = limits.BACKUP_ALERT_HOURS;
  if (seconds === null) {
    const detail = "No regular backup was ever made";
    if (hours === 0) return judged.ok(detail);
    return judged.look(detail, "run `hookwork backup` once a day by a timer");
  }
  const span = formatSeconds(seconds);
  const detail = succeeded
    ? `The last regular backup succeeded ${span} ago`
    : `No regular backup has succeeded since the first one was begun ${span} ago`;
  return hours > 0 && seconds >= hours * 3600 ? judged.bad(detail, REMEDY) : judged.ok(detail);
}

/** Asks for an alert when no regular backup has succeeded for BACKUP_ALERT_HOURS. */
export async function watchBackups({ db, config }: Pick<App, "db" | "config">): Promise<void> {
  const { level, detail } = judgeBackups(await getBackupAge(db), config);
  if (level !== "bad") return;
  const text = `${detail}: ${REMEDY}\nhookwork doctor`;
  await raiseAlert(db, { topic: "backup overdue", text, quietMinutes: QUIET_MINUTES });
}
