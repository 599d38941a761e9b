/**
 * Contracts as files of a directory.
 * @module
 */
import { PermanentError } from "../base/errors.ts";
import { makeFolder, syncFolder, unlessMissing, writeDurably } from "../base/files.ts";
import { checkName, checkSame, type DocumentStorage, sha256 } from "./storage.ts";

/** Inside the directory, so on its file system. */
const ASIDE = ".partial";

/**
 * Keeps files in a directory, which is made when it is missing.
 *
 * A file is written aside, synced, and then linked under its name: a link, unlike a rename, never replaces what another
 * process has put there. So a name has either no file or a whole one, whenever a process dies.
 */
export function createDirectoryStorage(directory: string): DocumentStorage {
  const pathOf = (name: string) => `${directory}/${name}`;

  async function get(name: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
    checkName(name);
    return await permitted(directory, () => unlessMissing(() => Deno.readFile(pathOf(name))));
  }

  async function put(name: string, bytes: Uint8Array<ArrayBuffer>) {
    checkName(name);
    const hash = await sha256(bytes);
    return await permitted(directory, async () => {
      const aside = await makeFolder(directory, ASIDE);
      const draft = `${aside}/${name}.${crypto.randomUUID()}`;
      await writeDurably(draft, bytes);
      await linkOnce(draft, pathOf(name));
      await removeDrafts(aside, name);
      await syncFolder(directory);
      return await checkSame(pathOf(name), await Deno.readFile(pathOf(name)), hash);
    });
  }

  async function exists(name: string): Promise<boolean> {
    checkName(name);
    const found = () => unlessMissing(() => Deno.stat(pathOf(name)));
    return await permitted(directory, found) !== undefined;
  }

  async function probe(): Promise<string> {
    return await permitted(directory, async () => {
      const aside = await makeFolder(directory, ASIDE);
      const draft = `${aside}/probe.${crypto.randomUUID()}`;
      await writeDurably(draft, new Uint8Array(1));
      await Deno.remove(draft);
      return directory;
    });
  }

  return { put, get, exists, probe };
}

/** Leaves alone what is there already. The draft may be gone: whoever has linked its own removes all drafts of the name. */
async function linkOnce(draft: string, path: string): Promise<void> {
  try {
    await Deno.link(draft, path);
  } catch (error) {
    const isThere = error instanceof Deno.errors.AlreadyExists ||
      error instanceof Deno.errors.NotFound && await unlessMissing(() => Deno.stat(path));
    if (!isThere) throw error;
  }
}

/** Also those of processes that died over them. */
async function removeDrafts(aside: string, name: string): Promise<void> {
  for await (const entry of Deno.readDir(aside)) {
    if (!entry.name.startsWith(`${name}.`)) continue;
    await unlessMissing(() => Deno.remove(`${aside}/${entry.name}`));
  }
}

/** Trying again gives no permission to a process. */
async function permitted<T>(directory: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Deno.errors.NotCapable)) throw error;
    throw new PermanentError(
      `Cannot keep contracts in ${directory}: the process may not; start it with ` +
        `--allow-read=${directory} --allow-write=${directory}`,
    );
  }
}
