/**
 * Backups as objects of a store that speaks S3.
 * @module
 */
import { TemporaryError } from "../base/errors.ts";
import type { Outside } from "../base/outside.ts";
import { sleep } from "../base/repeat.ts";
import { openBucket, type S3Objects, type S3Store } from "../base/s3.ts";
import { createS3Storage } from "../contracts/s3_storage.ts";
import type { DocumentStorage } from "../contracts/storage.ts";
import { timeOfName } from "./manifest.ts";
import { type BackupStore, DOCUMENTS, MANIFEST } from "./store.ts";

const USE = { what: "backup", deadlineSeconds: 120, maxObjectBytes: 128 * 2 ** 20 };
const TYPE = { type: "application/octet-stream" };
/** Between two tries: a night's copy of thousands of objects meets a store that is busy for a moment. */
const PAUSES_MS = [500, 2000, 8000];

/**
 * Keeps backups in a bucket. The manifest comes last and goes first, so what has none is no backup. Throws what `openBucket`
 * throws, after four tries at what may pass.
 */
export function createS3Store(
  target: S3Store,
  outside: Outside,
  pausesMs: readonly number[] = PAUSES_MS,
): BackupStore {
  const patiently = <T>(work: () => Promise<T>) => tryAgain(work, pausesMs);
  const objects = patientObjects(openBucket(target, USE, outside), patiently);
  const storage = createS3Storage(target, outside, `${DOCUMENTS}/`);
  const documents: DocumentStorage = {
    put: (name, bytes) => patiently(() => storage.put(name, bytes)),
    get: (name) => patiently(() => storage.get(name)),
    exists: (name) => patiently(() => storage.exists(name)),
    probe: () => patiently(() => storage.probe()),
  };

  async function listNames(isWhole: boolean): Promise<string[]> {
    const folders = await objects.list("hookwork-", { folders: true });
    const names = folders.map((folder) => folder.slice(0, -1)).filter((name) => timeOfName(name));
    const chosen: string[] = [];
    for (const name of names) {
      if (await objects.exists(`${name}/${MANIFEST}`) === isWhole) chosen.push(name);
    }
    return chosen;
  }

  return {
    place: `s3://${target.bucket}`,
    documents,
    async listDocuments() {
      const keys = await objects.list(`${DOCUMENTS}/`);
      return new Set(keys.map((key) => key.slice(DOCUMENTS.length + 1)));
    },
    list: () => listNames(true),
    listHalf: () => listNames(false),
    begin: () => Promise.resolve(),
    async write(name, file, bytes) {
      await objects.put(`${name}/${file}`, bytes, TYPE);
    },
    async seal(name, manifest) {
      await objects.put(`${name}/${MANIFEST}`, manifest, { type: "application/json" });
    },
    read: (name, file) => objects.get(`${name}/${file}`),
    async remove(name) {
      await objects.remove(`${name}/${MANIFEST}`);
      for (const key of await objects.list(`${name}/`)) await objects.remove(key);
    },
  };
}

function patientObjects(
  objects: S3Objects,
  patiently: <T>(work: () => Promise<T>) => Promise<T>,
): S3Objects {
  return {
    get: (key) => patiently(() => objects.get(key)),
    exists: (key) => patiently(() => objects.exists(key)),
    put: (key, bytes, options) => patiently(() => objects.put(key, bytes, options)),
    list: (prefix, options) => patiently(() => objects.list(prefix, options)),
    remove: (key) => patiently(() => objects.remove(key)),
  };
}

async function tryAgain<T>(work: () => Promise<T>, pausesMs: readonly number[]): Promise<T> {
  for (let attempt = 0;; attempt++) {
    try {
      return await work();
    } catch (error) {
      const pauseMs = pausesMs[attempt];
      if (!(error instanceof TemporaryError) || pauseMs === undefined) throw error;
      await sleep(pauseMs);
    }
  }
}
