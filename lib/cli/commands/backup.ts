/**
 * `hookwork backup`: writes the database and the documents to where the settings say.
 * @module
 */
import { createDirectoryStore } from "../../backup/directory_store.ts";
import { copyBackup, makeBackup, removeExpired } from "../../backup/backup.ts";
import { describeError } from "../../base/errors.ts";
import type { Watcher } from "../../backup/progress.ts";
import { addressOf, type Backup } from "../../backup/read.ts";
import { getBackupAge, noteBackupBegun, noteBackupCompleted } from "../../db/backups.ts";
import { version } from "../../version.ts";
import { type Places, withPlaces } from "../backup_places.ts";
import { ExitCode } from "../failure.ts";
import type { Host } from "../host.ts";
import { withDatabase } from "../open.ts";
import type { Page } from "../output.ts";

/** What a backup came to. */
export interface BackedUp {
  /** Where it is, as `hookwork restore` takes it. */
  readonly backups: readonly string[];
  readonly takenAt: Date;
  readonly rows: number;
  readonly documents: number;
  /** Of the files of rows. */
  readonly bytes: number;
  readonly removed: readonly string[];
  /** What is not as it should be, although the backup is whole. */
  readonly problems: readonly string[];
}

/**
 * Makes a backup, copies it to S3 if that is set, and removes what is too old. One that goes to a folder of its own is a copy
 * for somebody: it removes nothing, and does not count when backups are watched.
 */
export async function backup(host: Host, { to }: { to?: string }): Promise<BackedUp> {
  const isRegular = to === undefined;
  return await withPlaces(host, async (places, watcher) => {
    // Also the first sign of life, and of tables of this version: both are told in plain words.
    await withDatabase(host, async (db) => {
      await getBackupAge(db);
      if (isRegular) await noteBackupBegun(db);
    });
    const { databaseUrl, documents, directory } = places;
    const store = isRegular ? directory : createDirectoryStore(to);
    const made = await makeBackup({ databaseUrl, documents, version }, store, watcher);
    if (!isRegular) return summary(made);
    const value = await finish(made, places, watcher);
    await withDatabase(host, noteBackupCompleted);
    return value;
  });
}

/** The copy, then the clean-up: nothing old goes before the new one is everywhere. */
async function finish(made: Backup, places: Places, watcher: Watcher): Promise<BackedUp> {
  const { directory, bucket, keepDays } = places;
  // The copy has the problems of what was copied, and its own.
  const last = bucket ? await copyBackup(made, bucket, watcher) : made;
  const stores = bucket ? [directory, bucket] : [directory];
  const { name } = made.manifest;
  const [removed, problems]: [string[], string[]] = [[], []];
  for (const store of stores) {
    try {
      const names = await removeExpired(store, keepDays, name);
      removed.push(...names.map((old) => addressOf(store, old)));
    } catch (error) {
      // Keys that may write and not remove are wise; then the rules of the bucket have to remove.
      problems.push(`Old backups in ${store.place} were not removed: ${describeError(error)}`);
    }
  }
  const told = summary(last);
  return {
    ...told,
    backups: stores.map((store) => addressOf(store, name)),
    removed,
    problems: [...told.problems, ...problems],
  };
}

function summary({ store, manifest }: Backup): BackedUp {
  const { name, takenAt, tables, documents, problems } = manifest;
  const files = tables.flatMap((table) => table.files);
  return {
    backups: [addressOf(store, name)],
    takenAt,
    rows: tables.reduce((total, { rows }) => total + rows, 0),
    documents: documents.length,
    bytes: files.reduce((total, { bytes }) => total + bytes, 0),
    removed: [],
    problems,
  };
}

const MAX_PROBLEMS = 10;

/** Where it is, what it holds, and what is wrong. */
export function renderBackup(value: BackedUp, page: Page): string {
  const { backups, takenAt, rows, documents, bytes, removed, problems } = value;
  const unshown = problems.length - MAX_PROBLEMS;
  return [
    ...backups.map((address) => `Backed up to ${address}`),
    `As of ${page.time(takenAt)}: ${rows} row(s) in ${megabytes(bytes)}, ${documents} document(s).`,
    ...(removed.length > 0 ? [`Removed, too old: ${removed.join(", ")}`] : []),
    ...problems.slice(0, MAX_PROBLEMS).map((problem) => `Problem: ${problem}`),
    ...(unshown > 0 ? [`${unshown} more problem(s) are in its manifest.json.`] : []),
  ].join("\n");
}

/** As people read the size of files. */
export function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}

/** Whole, but not all is well: a timer should show it. */
export function backupExitCode({ problems }: BackedUp): ExitCode {
  return problems.length > 0 ? ExitCode.failed : ExitCode.done;
}
