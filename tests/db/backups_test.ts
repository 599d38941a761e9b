import { assertEquals } from "@std/assert";
import {
  getBackupAge,
  noteBackupBegun,
  noteBackupCompleted,
  noteRestored,
  wasRestoredWithin,
} from "../../lib/db/backups.ts";
import { freshApp } from "../support/app.ts";

Deno.test("the first try counts until one succeeds, so backups that never worked are heard of too", async () => {
  await using app = await freshApp();
  assertEquals({ ...await getBackupAge(app.db) }, { seconds: null, succeeded: false });
  await noteBackupBegun(app.db);
  await app.rows`update backups set begun_at = now() - interval '1 hour'`;
  await noteBackupBegun(app.db);
  const begun = await getBackupAge(app.db);
  assertEquals([Math.round(begun.seconds!), begun.succeeded], [3600, false]);
  await noteBackupCompleted(app.db);
  const completed = await getBackupAge(app.db);
  assertEquals([Math.round(completed.seconds!), completed.succeeded], [0, true]);
});

Deno.test("a database that was never restored is not in doubt, and one that was is for so many days", async () => {
  await using app = await freshApp();
  assertEquals(await wasRestoredWithin(app.db, 30), false);
  await noteRestored(app.db, new Date("2026-03-01T03:15:00Z"));
  assertEquals(await wasRestoredWithin(app.db, 30), true);
  await app.rows`update backups set restored_at = now() - interval '31 days'`;
  assertEquals(await wasRestoredWithin(app.db, 30), false);
  const [row] = await app.rows`select restored_from from backups`;
  assertEquals(row!.restored_from, new Date("2026-03-01T03:15:00Z"));
});
