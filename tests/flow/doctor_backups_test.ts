import { assertEquals, assertStringIncludes } from "@std/assert";
import { noteBackupBegun, noteBackupCompleted } from "../../lib/db/backups.ts";
import { judgeBackups, watchBackups } from "../../lib/flow/doctor_backups.ts";
import { freshApp } from "../support/app.ts";

const limits = { BACKUP_ALERT_HOURS: 0, DB_POOLER: false, OLDEST_DUE_ALERT_MINUTES: 10 };

Deno.test("where backups are not to be watched none of their silence is bad", () => {
  for (const seconds of [null, 5, 1e9]) {
    assertEquals(judgeBackups({ seconds, succeeded: true }, limits).level, "ok");
  }
});

Deno.test("backups that stopped are told of once, and those that were never begun are not", async () => {
  await using app = await freshApp();
  const daysAgo = (days: number) =>
    app
      .rows`update backups set begun_at = now() - interval '90 days', completed_at = now() - make_interval(days => ${days})`;
  const alerts = async () => {
    await watchBackups(app);
    return await app.rows`select topic, pending, last_text from alerts`;
  };
  assertEquals(await alerts(), []);
  await noteBackupBegun(app.db);
  await noteBackupCompleted(app.db);
  assertEquals(await alerts(), []);
  await daysAgo(1);
  assertEquals(await alerts(), []);
  await daysAgo(3);
  await alerts();
  const [alert, ...more] = await alerts();
  assertEquals([alert?.topic, alert?.pending, more.length], ["backup overdue", 1, 0]);
  assertStringIncludes(alert?.last_text, "succeeded 3 d ago");
});
