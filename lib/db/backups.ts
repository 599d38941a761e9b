/**
 * The table `backups`: when the last regular backup succeeded, and from which one this database was restored.
 * @module
 */
import type { Queries } from "./db.ts";

/** Notes that a regular backup begins: from the first one on, their absence is told of. */
export async function noteBackupBegun(db: Queries): Promise<void> {
  await db.run(db.sql`update backups set begun_at = coalesce(begun_at, now())`);
}

/** Notes that a regular backup is whole, wherever it had to go. */
export async function noteBackupCompleted(db: Queries): Promise<void> {
  await db.run(db.sql`update backups set completed_at = now()`);
}

/** What is known of the regular backups. */
export interface BackupAge {
  /** Since the last one was whole, or since the first one was begun; null when none ever was. */
  readonly seconds: number | null;
  readonly succeeded: boolean;
}

/** How old the last regular backup is. */
export async function getBackupAge(db: Queries): Promise<BackupAge> {
  const [row] = await db.run(db.sql<BackupAge[]>`
    select extract(epoch from now() - coalesce(completed_at, begun_at))::float8 as seconds,
      completed_at is not null as succeeded
    from backups
  `);
  return row!;
}

/** Notes that this database is what a backup of a moment holds. */
export async function noteRestored(db: Queries, from: Date): Promise<void> {
  await db.run(db.sql`update backups set restored_from = ${from}, restored_at = now()`);
}

/** Whether the database was restored within the last days: then things may be there that it does not know of. */
export async function wasRestoredWithin(db: Queries, days: number): Promise<boolean> {
  const [row] = await db.run(db.sql<{ restored: boolean }[]>`
    select restored_at > now() - make_interval(days => ${days}::integer) is true as restored from backups
  `);
  return row!.restored;
}
