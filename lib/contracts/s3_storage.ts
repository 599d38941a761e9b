/**
 * Contracts as objects of a store that speaks S3.
 * @module
 */
import { PermanentError } from "../base/errors.ts";
import type { Outside } from "../base/outside.ts";
import { openBucket, type S3Store } from "../base/s3.ts";
import { checkName, checkSame, type DocumentStorage, sha256 } from "./storage.ts";

const USE = { what: "contract", deadlineSeconds: 30, maxObjectBytes: 32 * 2 ** 20 };
/** What is stored to see whether that can be done: it stays, since keys that may store need not be able to remove. */
const PROBE = "hookwork-probe.txt";

/**
 * Keeps files in a bucket, under a prefix if there is one. Throws TemporaryError when the store does not answer in time or says
 * that it is busy, and PermanentError when it refuses: wrong keys (403), no such bucket (404 to a put).
 */
export function createS3Storage(store: S3Store, outside: Outside, prefix = ""): DocumentStorage {
  const objects = openBucket(store, USE, outside);
  const keyOf = (name: string) => {
    checkName(name);
    return `${prefix}${name}`;
  };
  const pathOf = (name: string) => `s3://${store.bucket}/${prefix}${name}`;

  const get = async (name: string) => await objects.get(keyOf(name));

  async function put(name: string, bytes: Uint8Array<ArrayBuffer>) {
    const hash = await sha256(bytes);
    // First a look: some stores do not know the condition, and would replace what is there.
    const before = await get(name);
    if (before !== undefined) return await checkSame(pathOf(name), before, hash);
    const isOurs = await objects.put(keyOf(name), bytes, {
      type: "application/pdf",
      ifAbsent: true,
    });
    if (isOurs) return { path: pathOf(name), sha256: hash };
    const winner = await get(name);
    if (winner !== undefined) return await checkSame(pathOf(name), winner, hash);
    throw new PermanentError(
      `Cannot store ${
        pathOf(name)
      }: the store says that it is there, and does not show it; see its rules`,
    );
  }

  async function probe(): Promise<string> {
    const bytes = new TextEncoder().encode("by hookwork check\n");
    await objects.put(keyOf(PROBE), bytes, { type: "text/plain" });
    return `s3://${store.bucket}`;
  }

  return { put, get, exists: async (name) => await objects.exists(keyOf(name)), probe };
}
