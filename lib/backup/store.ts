/**
 * Where backups are kept.
 *
 * A backup is a folder named by its time, with the rows of the tables and a manifest. The documents of all backups are in one
 * folder beside them: a document never changes and its row is never deleted, so each later backup needs it too. To copy a backup
 * elsewhere is to copy the whole place.
 * @module
 */
import type { DocumentStorage } from "../contracts/storage.ts";

/** The name of a manifest in the folder of its backup. */
export const MANIFEST = "manifest.json";
/** The folder of documents. */
export const DOCUMENTS = "documents";

/** Keeps backups. Two implementations: `directory_store.ts` and `s3_store.ts`. */
export interface BackupStore {
  /** For a person: a path, or `s3://bucket`. */
  readonly place: string;
  readonly documents: DocumentStorage;
  /** The names of the documents that are there. */
  listDocuments(): Promise<Set<string>>;
  /** The names of the backups that are whole, the oldest first. */
  list(): Promise<string[]>;
  /** The names of those that were begun and did not come to their end, or are being written. */
  listHalf(): Promise<string[]>;
  /** Makes room for a backup. Throws RefusedError when there is one of that name. */
  begin(name: string): Promise<void>;
  /** Adds a file to a backup that was begun; durable when it returns. */
  write(name: string, file: string, bytes: Uint8Array<ArrayBuffer>): Promise<void>;
  /** Makes a backup whole by its manifest; before, nobody takes it for a backup. */
  seal(name: string, manifest: Uint8Array<ArrayBuffer>): Promise<void>;
  /** A file of a backup that is whole; undefined when it is not there. */
  read(name: string, file: string): Promise<Uint8Array<ArrayBuffer> | undefined>;
  /** Removes a backup, whole or half: it stops being whole first. Documents stay. */
  remove(name: string): Promise<void>;
}
