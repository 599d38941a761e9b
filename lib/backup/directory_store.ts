/**
 * Backups as folders of a directory.
 * @module
 */
import { RefusedError } from "../base/errors.ts";
import { makeFolder, syncFolder, unlessMissing, writeDurably } from "../base/files.ts";
import { createDirectoryStorage } from "../contracts/directory_storage.ts";
import { timeOfName } from "./manifest.ts";
import { type BackupStore, DOCUMENTS, MANIFEST } from "./store.ts";

/** On the same file system, so that a rename is one step. */
const ASIDE = ".partial";
/** Backups hold what people wrote and the tokens of services: for their owner only. */
const PRIVATE = { mode: 0o700 };

/**
 * Keeps backups in a directory, which is made when it is missing. A backup is written aside, synced, and renamed when it is whole.
 */
export function createDirectoryStore(directory: string): BackupStore {
  const aside = `${directory}/${ASIDE}`;
  const documents = `${directory}/${DOCUMENTS}`;

  async function namesIn(folder: string, what: "isFile" | "isDirectory"): Promise<string[]> {
    const entries = await unlessMissing(() => Array.fromAsync(Deno.readDir(folder))) ?? [];
    return entries.filter((entry) => entry[what]).map(({ name }) => name).toSorted();
  }

  return {
    place: directory,
    documents: createDirectoryStorage(documents),
    async listDocuments() {
      return new Set(await namesIn(documents, "isFile"));
    },
    async list() {
      const names = (await namesIn(directory, "isDirectory")).filter(isName);
      const sealed = await Promise.all(
        names.map((name) => isThere(`${directory}/${name}/${MANIFEST}`)),
      );
      return names.filter((_, index) => sealed[index]);
    },
    async listHalf() {
      return (await namesIn(aside, "isDirectory")).filter(isName);
    },
    async begin(name) {
      await makeFolder(directory, ASIDE, PRIVATE);
      await makeFolder(directory, DOCUMENTS, PRIVATE);
      if (await isThere(`${directory}/${name}`)) throw isTaken(`${directory}/${name}`);
      try {
        await makeFolder(aside, name, { ...PRIVATE, isNew: true });
      } catch (error) {
        if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
        throw isTaken(`${aside}/${name}`);
      }
    },
    write: (name, file, bytes) => writeDurably(`${aside}/${name}/${file}`, bytes),
    async seal(name, manifest) {
      await writeDurably(`${aside}/${name}/${MANIFEST}`, manifest);
      await syncFolder(`${aside}/${name}`);
      await Deno.rename(`${aside}/${name}`, `${directory}/${name}`);
      await syncFolder(directory);
    },
    read: (name, file) => unlessMissing(() => Deno.readFile(`${directory}/${name}/${file}`)),
    async remove(name) {
      await makeFolder(directory, ASIDE, PRIVATE);
      await unlessMissing(() => Deno.rename(`${directory}/${name}`, `${aside}/${name}`));
      await unlessMissing(() => Deno.remove(`${aside}/${name}`, { recursive: true }));
    },
  };
}

const isName = (name: string) => timeOfName(name) !== undefined;

async function isThere(path: string): Promise<boolean> {
  return await unlessMissing(() => Deno.stat(path)) !== undefined;
}

function isTaken(path: string): RefusedError {
  return new RefusedError(
    `Cannot back up: ${path} is there already; another backup began in the same second, run it again`,
  );
}
