/**
 * `hookwork backups`: which backups there are, in the folder and in the bucket.
 * @module
 */
import { timeOfName } from "../../backup/manifest.ts";
import { addressOf, openBackup } from "../../backup/read.ts";
import type { BackupStore } from "../../backup/store.ts";
import { RefusedError } from "../../base/errors.ts";
import { withPlaces } from "../backup_places.ts";
import type { Host } from "../host.ts";
import type { Page } from "../output.ts";
import { renderTable } from "../table.ts";
import { megabytes } from "./backup.ts";

/** A backup that is whole, or of which only a damaged manifest is left; then the numbers are null. */
export interface BackupLine {
  /** As `hookwork restore` takes it. */
  readonly backup: string;
  readonly takenAt: Date;
  readonly version: string | null;
  readonly rows: number | null;
  readonly documents: number | null;
  /** Of the files of rows. */
  readonly bytes: number | null;
  /** Documents that it could not have. */
  readonly problems: number | null;
  /** Why it cannot be used; null when it can. */
  readonly damage: string | null;
}

/** The backups of each place, the newest first. */
export async function backups(host: Host): Promise<BackupLine[]> {
  return await withPlaces(host, async ({ directory, bucket }) => {
    const lines: BackupLine[] = [];
    for (const store of bucket ? [directory, bucket] : [directory]) {
      for (const name of (await store.list()).toReversed()) {
        lines.push(await lineOf(store, name));
      }
    }
    return lines;
  });
}

/** One that is damaged must not hide the others: whoever asks for the list may need them. */
async function lineOf(store: BackupStore, name: string): Promise<BackupLine> {
  const backup = addressOf(store, name);
  try {
    const { takenAt, version, tables, documents, problems } =
      (await openBackup(store, name)).manifest;
    return {
      backup,
      takenAt,
      version,
      rows: tables.reduce((total, { rows }) => total + rows, 0),
      documents: documents.length,
      bytes: tables.flatMap(({ files }) => files).reduce((sum, { bytes }) => sum + bytes, 0),
      problems: problems.length,
      damage: null,
    };
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error;
    const unknown = { version: null, rows: null, documents: null, bytes: null, problems: null };
    return { backup, takenAt: timeOfName(name)!, ...unknown, damage: error.message };
  }
}

/** A table. */
export function renderBackups(found: readonly BackupLine[], page: Page): string {
  if (found.length === 0) return "There is no backup yet: run `hookwork backup`.";
  return renderTable(found, [
    { title: "BACKUP", cell: ({ backup }) => backup },
    { title: "AS OF", cell: ({ takenAt }) => page.time(takenAt) },
    { title: "ROWS", cell: ({ rows }) => rows, right: true },
    { title: "SIZE", cell: ({ bytes }) => bytes === null ? null : megabytes(bytes), right: true },
    { title: "DOCUMENTS", cell: ({ documents }) => documents, right: true },
    { title: "MISSING", cell: ({ problems }) => problems, right: true },
    { title: "MADE BY", cell: ({ version, damage }) => version ?? damage, flexible: true },
  ], page.columns);
}
