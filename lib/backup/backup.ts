/**
 * Makes a backup: the rows of all tables as they were at one moment, then the documents that they speak of.
 * @module
 */
import { listDocumentFiles } from "../contracts/documents.ts";
import type { DocumentStorage } from "../contracts/storage.ts";
import { beginSnapshot, listSequences, type Snapshot } from "../db/dump.ts";
import { openSession, type Session } from "../db/session.ts";
import { keepDocuments } from "./documents.ts";
import { expired, leftovers } from "./keep.ts";
import { backupName, createManifest, type Manifest, writeManifest } from "./manifest.ts";
import type { Watcher } from "./progress.ts";
import { type Backup, readRows } from "./read.ts";
import { writeTable } from "./rows.ts";
import type { BackupStore } from "./store.ts";

const APPLICATION = "hookwork-backup";
const DOCUMENTS_TABLE = "contract_documents";

/** What is backed up, and where to. */
export interface BackupSource {
  readonly databaseUrl: string;
  /** Where contracts are kept. */
  readonly documents: DocumentStorage;
  /** Of this program. */
  readonly version: string;
  /** How much text of rows is in one file; see `rows.ts`. */
  readonly partBytes?: number;
}

/**
 * Makes a backup in a store. What was begun is removed when it fails; a process that is killed leaves a half one, which nobody
 * takes for whole. Throws what reading the database and writing the store throw.
 */
export async function makeBackup(
  source: BackupSource,
  store: BackupStore,
  watcher: Watcher,
): Promise<Backup> {
  const session = openSession({ url: source.databaseUrl, application: APPLICATION });
  try {
    const snapshot = await beginSnapshot(session);
    await removeLeftovers(store, snapshot.takenAt);
    const name = backupName(snapshot.takenAt);
    await store.begin(name);
    try {
      const manifest = await fill({ source, session, snapshot, name, store }, watcher);
      await store.seal(name, await writeManifest(manifest));
      return { store, manifest };
    } catch (error) {
      await store.remove(name);
      throw error;
    }
  } finally {
    await session.close();
  }
}

interface Filling {
  readonly source: BackupSource;
  readonly session: Session;
  readonly snapshot: Snapshot;
  readonly name: string;
  readonly store: BackupStore;
}

async function fill(
  { source, session, snapshot, name, store }: Filling,
  watcher: Watcher,
): Promise<Manifest> {
  const { takenAt, postgres, migrations, tables: shapes } = snapshot;
  const write = (file: string, bytes: Uint8Array<ArrayBuffer>) => store.write(name, file, bytes);
  const tables = [];
  for (const [index, table] of shapes.entries()) {
    const { partBytes } = source;
    tables.push(await writeTable(session, { table, index, partBytes }, write, watcher));
  }
  const hasDocuments = shapes.some((table) => table.name === DOCUMENTS_TABLE);
  const files = hasDocuments ? await listDocumentFiles(session.sql) : [];
  const sequences = await listSequences(session);
  // The snapshot ends here: it holds back vacuum, and documents may take long.
  await session.close();
  const kept = await keepDocuments(files, source.documents, store, watcher);
  const { version } = source;
  return createManifest({
    takenAt,
    version,
    postgres,
    migrations: [...migrations],
    tables,
    sequences,
    ...kept,
  });
}

/**
 * Copies a backup that is whole to another store, and gives the one that is there then. A document that cannot be copied is
 * one of its problems, as in `makeBackup`.
 */
export async function copyBackup(
  backup: Backup,
  to: BackupStore,
  watcher: Watcher,
): Promise<Backup> {
  const { name, takenAt, tables, documents, problems } = backup.manifest;
  await removeLeftovers(to, takenAt);
  await to.begin(name);
  const wanted = documents.map(({ name: path, sha256 }) => ({ path, sha256 }));
  const kept = await keepDocuments(wanted, backup.store.documents, to, watcher);
  const files = tables.flatMap((table) => table.files);
  for (const [index, file] of files.entries()) {
    watcher.signal.throwIfAborted();
    watcher.progress(`${to.place}: ${index} of ${files.length} file(s)`);
    await to.write(name, file.file, await readRows(backup, file));
  }
  const manifest = {
    ...backup.manifest,
    documents: kept.documents,
    problems: [...problems, ...kept.problems],
  };
  await to.seal(name, await writeManifest(manifest));
  return { store: to, manifest };
}

/** Removes the backups of a store that are older than they are kept, seen from the one just made; their names. */
export async function removeExpired(
  store: BackupStore,
  keepDays: number,
  made: string,
): Promise<string[]> {
  const names = expired(await store.list(), keepDays, made);
  for (const name of names) await store.remove(name);
  return names;
}

/** Before something new is written: a disk that they have filled would keep the next one from succeeding, for ever. */
async function removeLeftovers(store: BackupStore, now: Date): Promise<void> {
  for (const name of leftovers(await store.listHalf(), now)) await store.remove(name);
}
