/**
 * Where contracts are kept: a file is stored once under its name, and never changed.
 * @module
 */
import { PermanentError } from "../base/errors.ts";

/** A file that is stored. */
export interface StoredDocument {
  /** Where it is, for a person: a path, or `s3://bucket/name`. */
  readonly path: string;
  /** SHA-256 of its bytes, in hex. */
  readonly sha256: string;
}

/** Keeps files by name. Two implementations: `directory_storage.ts` and `s3_storage.ts`. */
export interface DocumentStorage {
  /**
   * Stores a file durably before it returns. The same name and bytes again change nothing.
   * Throws PermanentError when other bytes stand under the name.
   */
  put(name: string, bytes: Uint8Array<ArrayBuffer>): Promise<StoredDocument>;
  /** The bytes of a name; undefined when there are none. */
  get(name: string): Promise<Uint8Array<ArrayBuffer> | undefined>;
  exists(name: string): Promise<boolean>;
  /** Tries to store something that is no contract, and gives where contracts go. Throws what `put` throws. */
  probe(): Promise<string>;
}

/** Fit for every file system and for addresses without an escape. */
const NAME_FORM = /^[A-Za-z0-9][A-Za-z0-9._-]{0,199}$/;

/** Throws PermanentError for what is no name of a file: it must not lead out of the storage. */
export function checkName(name: string): void {
  if (NAME_FORM.test(name)) return;
  throw new PermanentError(`Cannot store "${name}": the name must fit ${NAME_FORM}`);
}

/** SHA-256 in hex. */
export async function sha256(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex();
}

/** Throws PermanentError unless what is stored under a name are the bytes of this hash. */
export async function checkSame(
  path: string,
  stored: Uint8Array<ArrayBuffer>,
  wanted: string,
): Promise<StoredDocument> {
  const found = await sha256(stored);
  if (found === wanted) return { path, sha256: wanted };
  throw new PermanentError(
    `Cannot store ${path}: other bytes are there (SHA-256 ${found.slice(0, 12)}, not ${
      wanted.slice(0, 12)
    }); a contract is never replaced: see which one is right, and move the other away`,
  );
}
