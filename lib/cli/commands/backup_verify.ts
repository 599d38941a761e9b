/**
 * `hookwork backup --verify`: reads a backup to its last byte, as a restore would.
 * @module
 */
import { addressOf, verifyBackup } from "../../backup/read.ts";
import { backupAt, withPlaces } from "../backup_places.ts";
import { ExitCode } from "../failure.ts";
import type { Host } from "../host.ts";
import type { Page } from "../output.ts";

/** What a look at a backup came to. */
export interface Verified {
  readonly backup: string;
  readonly takenAt: Date;
  readonly files: number;
  readonly documents: number;
  readonly problems: readonly string[];
}

/** Reads all of a backup. Throws RefusedError when it is not there, or not whole. */
export async function verify(host: Host, address: string): Promise<Verified> {
  return await withPlaces(host, async (places, watcher) => {
    const backup = await backupAt(places, address);
    const { name, takenAt, tables, documents } = backup.manifest;
    return {
      backup: addressOf(backup.store, name),
      takenAt,
      files: tables.flatMap(({ files }) => files).length,
      documents: documents.length,
      problems: await verifyBackup(backup, watcher),
    };
  });
}

/** The verdict, and what is damaged. */
export function renderVerified(value: Verified, page: Page): string {
  const { backup, takenAt, files, documents, problems } = value;
  const all = `${files} file(s) of rows and ${documents} document(s)`;
  if (problems.length > 0) return [`${backup} is damaged.`, ...problems].join("\n");
  return `${backup} of ${page.time(takenAt)} is whole: ${all} are as they were written.`;
}

/** A backup that cannot be restored is a failure. */
export function verifiedExitCode({ problems }: Verified): ExitCode {
  return problems.length > 0 ? ExitCode.failed : ExitCode.done;
}
