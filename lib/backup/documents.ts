/**
 * The documents of a backup.
 * @module
 */
import { PermanentError, RefusedError } from "../base/errors.ts";
import type { DocumentFile } from "../contracts/documents.ts";
import { type DocumentStorage, sha256 } from "../contracts/storage.ts";
import type { Manifest } from "./manifest.ts";
import type { Watcher } from "./progress.ts";
import { openBackup } from "./read.ts";
import type { BackupStore } from "./store.ts";

/** What became of the documents. */
export type KeptDocuments = Pick<Manifest, "documents" | "problems">;

/**
 * Copies the documents that rows speak of, but for those that an earlier backup has left in the store. A name alone is no
 * proof: after a restore a contract may have been made anew, and the store may have the one that was lost.
 *
 * Rows first, documents after: a document is stored before its row says so, and is never changed or removed. So each one that
 * the rows know is there when they have been read. The other way round, one that is stored in between would be missing.
 * One that cannot be had is a problem, and keeps nothing else from being backed up.
 */
export async function keepDocuments(
  files: readonly DocumentFile[],
  from: DocumentStorage,
  store: BackupStore,
  { progress, signal }: Watcher,
): Promise<KeptDocuments> {
  const there = await store.listDocuments();
  const known = await documentsOfLast(store);
  const isKept = async (name: string, wanted: string) =>
    there.has(name) && (known.get(name) === wanted || await hashIn(store, name) === wanted);
  const kept: KeptDocuments = { documents: [], problems: [] };
  for (const [index, { path: name, sha256: recorded }] of files.entries()) {
    signal.throwIfAborted();
    progress(`documents: ${index} of ${files.length}`);
    if (recorded !== null && await isKept(name, recorded)) {
      kept.documents.push({ name, sha256: recorded });
      continue;
    }
    try {
      const found = await keepOne(name, recorded, from, store.documents);
      if (found !== undefined) kept.documents.push({ name, sha256: found });
    } catch (error) {
      if (!(error instanceof PermanentError)) throw error;
      kept.problems.push(error.message);
    }
  }
  return kept;
}

/** What the newest backup of a store vouches for, so that not each night reads all there is. */
async function documentsOfLast(store: BackupStore): Promise<Map<string, string>> {
  const last = (await store.list()).at(-1);
  if (last === undefined) return new Map();
  try {
    const { documents } = (await openBackup(store, last)).manifest;
    return new Map(documents.map(({ name, sha256 }) => [name, sha256]));
  } catch (error) {
    if (error instanceof RefusedError) return new Map();
    throw error;
  }
}

async function hashIn({ documents }: BackupStore, name: string): Promise<string | undefined> {
  const bytes = await documents.get(name);
  return bytes && await sha256(bytes);
}

/** Its hash; undefined when it is not there, and no row promises that it is. */
async function keepOne(
  name: string,
  recorded: string | null,
  from: DocumentStorage,
  to: DocumentStorage,
): Promise<string | undefined> {
  const bytes = await from.get(name);
  if (bytes === undefined) {
    if (recorded === null) return undefined;
    throw new PermanentError(`Document ${name} is not in the storage of contracts; look for it`);
  }
  const found = await sha256(bytes);
  if (recorded === null || found === recorded) return (await to.put(name, bytes)).sha256;
  throw new PermanentError(
    `Document ${name} is not the one that was recorded (SHA-256 ${found.slice(0, 12)}, not ${
      recorded.slice(0, 12)
    }); see who changed it`,
  );
}
