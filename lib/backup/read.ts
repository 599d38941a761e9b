/**
 * Reads a backup, and lets nothing pass that is not what was written.
 * @module
 */
import { RefusedError } from "../base/errors.ts";
import { sha256 } from "../contracts/storage.ts";
import { type Manifest, readManifest, type RowsFile } from "./manifest.ts";
import type { Watcher } from "./progress.ts";
import { type BackupStore, MANIFEST } from "./store.ts";

/** One backup in its store. */
export interface Backup {
  readonly store: BackupStore;
  readonly manifest: Manifest;
}

/** Opens a backup by its manifest. Throws RefusedError when it is not there, not whole, or its manifest is damaged. */
export async function openBackup(store: BackupStore, name: string): Promise<Backup> {
  const where = addressOf(store, name);
  const bytes = await store.read(name, MANIFEST);
  if (bytes === undefined) {
    throw new RefusedError(
      `Cannot use backup ${where}: there is none, or it was never whole; \`hookwork backups\` lists those that are`,
    );
  }
  return { store, manifest: await readManifest(bytes, where) };
}

/** Where a backup is: what `hookwork restore` takes. */
export function addressOf(store: BackupStore, name: string): string {
  return `${store.place}/${name}`;
}

/** A file of rows. Throws RefusedError when it is missing or is not the one that was written. */
export async function readRows(
  { store, manifest: { name } }: Backup,
  { file, sha256 }: RowsFile,
): Promise<Uint8Array<ArrayBuffer>> {
  return await checked(`${addressOf(store, name)}/${file}`, await store.read(name, file), sha256);
}

/** A document. Throws as `readRows` does. */
export async function readDocument(
  { store }: Backup,
  { name, sha256 }: Manifest["documents"][number],
): Promise<Uint8Array<ArrayBuffer>> {
  const where = `${store.place}/documents/${name}`;
  return await checked(where, await store.documents.get(name), sha256);
}

/** What reading all of a backup came to: one sentence for each file that is missing or damaged. */
export interface Damage {
  readonly rows: readonly string[];
  /** By the names of the documents. */
  readonly documents: ReadonlyMap<string, string>;
}

/** Reads all of a backup. */
export async function findDamage(backup: Backup, { progress, signal }: Watcher): Promise<Damage> {
  const { tables, documents } = backup.manifest;
  const checks = [
    ...tables.flatMap(({ files }) => files)
      .map((file) => ({ document: undefined, read: () => readRows(backup, file) })),
    ...documents.map((one) => ({ document: one.name, read: () => readDocument(backup, one) })),
  ];
  const rows: string[] = [];
  const damaged = new Map<string, string>();
  for (const [index, { read, document }] of checks.entries()) {
    signal.throwIfAborted();
    progress(`checked: ${index} of ${checks.length} file(s)`);
    try {
      await read();
    } catch (error) {
      if (!(error instanceof RefusedError)) throw error;
      if (document === undefined) rows.push(error.message);
      else damaged.set(document, error.message);
    }
  }
  return { rows, documents: damaged };
}

/** Reads all of a backup; one sentence for each file that is missing or damaged. */
export async function verifyBackup(backup: Backup, watcher: Watcher): Promise<string[]> {
  const { rows, documents } = await findDamage(backup, watcher);
  return [...rows, ...documents.values()];
}

async function checked(
  where: string,
  bytes: Uint8Array<ArrayBuffer> | undefined,
  wanted: string,
): Promise<Uint8Array<ArrayBuffer>> {
  const help = "take another backup, as `hookwork backups` lists them";
  if (bytes === undefined) throw new RefusedError(`Cannot read ${where}: it is missing; ${help}`);
  const found = await sha256(bytes);
  if (found === wanted) return bytes;
  throw new RefusedError(
    `Cannot use ${where}: its bytes are not those that were written (SHA-256 ${
      found.slice(0, 12)
    }, not ${wanted.slice(0, 12)}); ${help}`,
  );
}
