/**
 * `hookwork backups`: which backups there are, in the folder and in the bucket.
 * @module
 */
import { addressOf, openBackup } from "../../backup/read.ts";
import { withPlaces } from "../backup_places.ts";
import type { Host } from "../host.ts";
import type { Page } from "../output.ts";
import { renderTable } from "../table.ts";
import { megabytes } from "./backup.ts";

/** A backup that is whole. */
export interface BackupLine {
  /** As `hookwork restore` takes it. */
  readonly backup: string;
  readonly takenAt: Date;
  readonly version: string;
  readonly rows: number;
  readonly documents: number;
  /** Of the files of rows. */
  readonly bytes: number;
  /** Documents that it could not have. */
  readonly problems: number;
}

/** The backups of each place, the newest first. */
export async function backups(host: Host): Promise<BackupLine[]> {
  return await withPlaces(host, async ({ directory, bucket }) => {
    const lines: BackupLine[] = [];
    for (const store of bucket ? [directory, bucket] : [directory]) {
      for (const name of (await store.list()).toReversed()) {
        const { takenAt, version, tables, documents, problems } =
          (await openBackup(store, name)).manifest;
        lines.push({
          backup: addressOf(store, name),
          takenAt,
          version,
          rows: tables.reduce((total, { rows }) => total + rows, 0),
          documents: documents.length,
          bytes: tables.flatMap(({ files }) => files).reduce((sum, { bytes }) => sum + bytes, 0),
          problems: problems.length,
        });
      }
    }
    return lines;
  });
}

/** A table. */
export function renderBackups(found: readonly BackupLine[], page: Page): string {
  if (found.length === 0) return "There is no backup yet: run `hookwork backup`.";
  return renderTable(found, [
    { title: "BACKUP", cell: ({ backup }) => backup },
    { title: "AS OF", cell: ({ takenAt }) => page.time(takenAt) },
    { title: "ROWS", cell: ({ rows }) => rows, right: true },
    { title: "SIZE", cell: ({ bytes }) => megabytes(bytes), right: true },
    { title: "DOCUMENTS", cell: ({ documents }) => documents, right: true },
    { title: "MISSING", cell: ({ problems }) => problems, right: true },
    { title: "MADE BY", cell: ({ version }) => version, flexible: true },
  ], page.columns);
}
