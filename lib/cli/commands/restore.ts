/**
 * `hookwork restore`: brings a backup back into an empty database, and says what is to be done next.
 * @module
 */
import { addressOf } from "../../backup/read.ts";
import { restoreBackup, type Restored as RestoredRows } from "../../backup/restore.ts";
import { formatSeconds } from "../../base/span.ts";
import { backupAt, withPlaces } from "../backup_places.ts";
import type { Host } from "../host.ts";
import type { Agree } from "../many.ts";
import { contact, withDatabase } from "../open.ts";
import type { Page } from "../output.ts";

/** How a backup is restored. */
export interface RestoreOptions {
  /** How many numbers of each series of contracts are left out. */
  readonly skipNumbers: number;
  /** Whether documents that the backup has lost are left out. */
  readonly leaveOutDocuments?: boolean;
  readonly agree: Agree;
}

/** What was restored, and from where. */
export interface Restored extends RestoredRows {
  readonly backup: string;
  /** What came after it is lost. */
  readonly takenAt: Date;
  readonly problems: readonly string[];
}

/** Checks the backup, asks, and restores. Throws what `restoreBackup` throws. */
export async function restore(
  host: Host,
  address: string,
  { agree, ...options }: RestoreOptions,
): Promise<Restored> {
  return await withPlaces(host, async (places, watcher) => {
    await withDatabase(host, contact);
    const backup = await backupAt(places, address);
    const { name, takenAt, problems } = backup.manifest;
    const { databaseUrl, documents } = places;
    const age = formatSeconds((host.now().getTime() - takenAt.getTime()) / 1000);
    const restored = await restoreBackup(backup, {
      databaseUrl,
      documents,
      ...options,
      agree: () => agree(`${name} is ${age} old: what came after it will not be there.`),
    }, watcher);
    return { ...restored, backup: addressOf(backup.store, name), takenAt, problems };
  });
}

/** What is there, what may happen twice, and the next steps in their order. */
export function renderRestored(value: Restored, page: Page): string {
  const { backup, takenAt, rows, documents, unfinished, numbers, unknownTables } = value;
  const kinds = unfinished.map(({ kind, count }) => `${kind} ${count}`).join(", ");
  const from = page.time(takenAt);
  const lost = `at most what came between ${from} and now`;
  return [
    `Restored ${backup}: ${rows} row(s), ${documents} document(s), each as it was backed up.`,
    ...unknownTables.map((name) =>
      `Left out: ${name} is no table of Hookwork; its rows are in the backup.`
    ),
    ...value.lostDocuments.map((why) => `Left out: ${why}`),
    ...value.problems.map((problem) => `Missing since the backup: ${problem}`),
    "",
    `Lost: ${lost}. It is a gap of each source now: hookwork gaps`,
    unfinished.length > 0
      ? `Unfinished then, and run again once a worker starts: ${kinds}. hookwork jobs --status pending`
      : "No job was unfinished.",
    "What was created outside since then is looked for before it is created again. Messages, which nobody can look for, may come twice.",
    "Schedules go on with their next slot, and do not catch up.",
    ...numbers.map(({ series, last }) =>
      `Numbers of contracts ${series}: ${last} counts as the last one.`
    ),
    "",
    "Next:",
    "1. hookwork doctor",
    "2. Cancel what must not run again: hookwork cancel <job>",
    "3. Start the receivers, then the workers.",
    "4. amoCRM is asked by itself within a quarter of an hour what happened in the gap. If its token is refused, consent anew.",
    "5. hookwork gaps, until the gap of amocrm is closed. Ask other senders to send again what they sent in that time.",
  ].join("\n");
}
