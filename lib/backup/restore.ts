/**
 * Restores a backup into a database that is empty.
 *
 * What was done after the backup is not known in the restored database, so it may be done a second time. What is done against
 * that: the time since the backup is a gap of each source, which reconciliation closes; an effect is looked for before it is
 * created, also where nothing is noted (`RESTORE_DOUBT_DAYS` in `lib/flow/effect.ts`); schedules do not catch up; numbers of
 * contracts are left out. Jobs that were unfinished run again, as after a crash: a running one when its lease is over. What has
 * no `find`, such as a message in Telegram, may come twice.
 * @module
 */
import { RefusedError } from "../base/errors.ts";
import { skipNumbers } from "../contracts/documents.ts";
import type { DocumentStorage } from "../contracts/storage.ts";
import { noteRestored } from "../db/backups.ts";
import { listTables } from "../db/dump.ts";
import { noteLostTime } from "../db/gaps.ts";
import { countUnfinished, type KindCount } from "../db/health.ts";
import {
  analyze,
  beginLoad,
  copyIn,
  countRows,
  listAppliedMigrations,
  listFilledTables,
  setSequence,
} from "../db/load.ts";
import { migrate, readMigrations } from "../db/migrate.ts";
import { forgetSchedules } from "../db/schedules.ts";
import { countSessions } from "../db/server.ts";
import { openSession, type Session } from "../db/session.ts";
import type { Manifest } from "./manifest.ts";
import type { Watcher } from "./progress.ts";
import { type Backup, type Damage, findDamage, readDocument, readRows } from "./read.ts";
import { textOfRows } from "./rows.ts";

const APPLICATION = "hookwork-restore";
/** What was received shortly before the snapshot may have been stored shortly after it. */
const OVERLAP_MS = 60_000;

/** Where a backup goes. */
export interface RestoreTarget {
  readonly databaseUrl: string;
  /** Where contracts are kept. */
  readonly documents: DocumentStorage;
  /** How many numbers of each series of contracts are left out. */
  readonly skipNumbers: number;
  /** Whether to go on without the documents that the backup has lost: all backups share one folder of them. */
  readonly leaveOutDocuments?: boolean;
  /** Other migrations than those of this version. */
  readonly migrations?: URL;
  /** Is asked when all is checked and nothing is changed yet; throws to stop. */
  agree(): void;
}

/** What a restore came to. */
export interface Restored {
  readonly rows: number;
  readonly documents: number;
  /** Why documents were left out, one sentence each. */
  readonly lostDocuments: readonly string[];
  /** Tables that no migration makes: their rows stay in the backup. */
  readonly unknownTables: readonly string[];
  /** The jobs that will run again, by kind. */
  readonly unfinished: readonly KindCount[];
  /** The last number that counts as given out, of each series of contracts. */
  readonly numbers: readonly { readonly series: string; readonly last: string }[];
}

/**
 * Restores documents, then rows, then what migrations of this version came after the backup. The rows are one transaction: cut
 * off anywhere, it can be run again. Throws RefusedError, before anything is changed, for a backup that is damaged or of a later
 * version, for a database that is not empty, and while workers are connected.
 */
export async function restoreBackup(
  backup: Backup,
  target: RestoreTarget,
  watcher: Watcher,
): Promise<Restored> {
  const { manifest } = backup;
  const { databaseUrl: url, migrations: folder } = target;
  await refuseOtherSchema(manifest, folder);
  const damage = await findDamage(backup, watcher);
  refuseDamage(damage, target);
  const session = openSession({ url, application: APPLICATION });
  try {
    await refuseUnfitDatabase(session, manifest);
    target.agree();
    await restoreDocuments(backup, damage, target.documents, watcher);
    const isOfBackup = (name: string) => manifest.migrations.some((one) => one.name === name);
    await migrate({ url, folder, only: isOfBackup, log: watcher.progress });
    const restored = await restoreRows(session, backup, target, watcher);
    await migrate({ url, folder, log: watcher.progress });
    await analyze(session);
    const lost = [...damage.documents.values()];
    return { ...restored, documents: manifest.documents.length - lost.length, lostDocuments: lost };
  } finally {
    await session.close();
  }
}

function refuseDamage({ rows, documents }: Damage, { leaveOutDocuments }: RestoreTarget): void {
  const all = [...rows, ...leaveOutDocuments ? [] : documents.values()];
  const [first] = all;
  if (first === undefined) return;
  const help = rows.length > 0
    ? ""
    : "; if no backup has the right documents, --leave-out-documents restores the rest";
  throw new RefusedError(`${first} (and ${all.length - 1} more file(s) like it)${help}`);
}

async function refuseOtherSchema(
  { migrations, version }: Manifest,
  folder: URL | undefined,
): Promise<void> {
  const ours = new Map(
    (await readMigrations(folder)).map(({ name, checksum }) => [name, checksum]),
  );
  const strange = migrations.find(({ name, checksum }) => ours.get(name) !== checksum);
  if (strange === undefined) return;
  throw new RefusedError(
    `Cannot restore: the backup is of version ${version}, whose migration ${strange.name} this version does not have; restore by that version, or a later one`,
  );
}

async function refuseUnfitDatabase(session: Session, { migrations }: Manifest): Promise<void> {
  const filled = await listFilledTables(session);
  if (filled.length > 0) {
    const counts = filled.map(({ table, rows }) => `${table} ${rows}`).join(", ");
    throw new RefusedError(
      `Cannot restore: the database is not empty (rows: ${counts}); make a new one, name it in DATABASE_URL, and run it again`,
    );
  }
  const known = new Set(migrations.map(({ name }) => name));
  const later = (await listAppliedMigrations(session)).find((name) => !known.has(name));
  if (later !== undefined) {
    throw new RefusedError(
      `Cannot restore: the database has the tables of a later version already (${later}); make a new one without tables, and run it again: it is migrated by this command`,
    );
  }
  const { workers } = await countSessions(session);
  if (workers > 0) {
    throw new RefusedError(
      `Cannot restore: ${workers} connection(s) of workers are open; stop all receivers and workers first`,
    );
  }
}

/** Before the rows: a row must not speak of a document that is not there. */
async function restoreDocuments(
  backup: Backup,
  damage: Damage,
  to: DocumentStorage,
  { progress, signal }: Watcher,
): Promise<void> {
  const documents = backup.manifest.documents.filter(({ name }) => !damage.documents.has(name));
  for (const [index, document] of documents.entries()) {
    signal.throwIfAborted();
    progress(`documents: ${index} of ${documents.length}`);
    await to.put(document.name, await readDocument(backup, document));
  }
}

async function restoreRows(
  session: Session,
  backup: Backup,
  target: RestoreTarget,
  watcher: Watcher,
): Promise<Omit<Restored, "documents" | "lostDocuments">> {
  const { manifest } = backup;
  const known = new Set(await listTables(session));
  const tables = manifest.tables.filter(({ name }) => known.has(name));
  await beginLoad(session);
  for (const table of tables) await loadTable(session, backup, table, watcher);
  for (const sequence of manifest.sequences) await setSequence(session, sequence);
  const numbers = await markRestored(session, manifest, target);
  const unfinished = await countUnfinished(session);
  await session.sql`commit`;
  return {
    rows: tables.reduce((total, { rows }) => total + rows, 0),
    unknownTables: manifest.tables.map(({ name }) => name).filter((name) => !known.has(name)),
    unfinished,
    numbers,
  };
}

async function loadTable(
  session: Session,
  backup: Backup,
  table: Manifest["tables"][number],
  { progress, signal }: Watcher,
): Promise<void> {
  let loaded = 0;
  for (const file of table.files) {
    signal.throwIfAborted();
    await copyIn(session, table, await textOfRows(await readRows(backup, file)));
    loaded += file.rows;
    progress(`${table.name}: ${loaded} of ${table.rows} row(s)`);
  }
  const rows = await countRows(session, table.name);
  if (rows === table.rows) return;
  throw new RefusedError(
    `Cannot restore ${table.name}: it has ${rows} row(s) and the backup ${table.rows}; nothing was changed, take another backup`,
  );
}

/** Says in the database what follows from its being an old one. */
async function markRestored(session: Session, { takenAt }: Manifest, target: RestoreTarget) {
  await noteRestored(session, takenAt);
  const from = new Date(takenAt.getTime() - OVERLAP_MS);
  const reason = `the database was restored from the backup of ${takenAt.toISOString()}`;
  await noteLostTime(session, from, reason);
  await forgetSchedules(session);
  return await skipNumbers(session.sql, target.skipNumbers);
}
