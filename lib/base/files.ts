/**
 * Files that are there for good once they were written, and that belong to whoever the folder belongs to.
 * @module
 */

/** Writes a new file, and does not return before it is on the disk. */
export async function writeDurably(path: string, bytes: Uint8Array): Promise<void> {
  using file = await Deno.open(path, { write: true, createNew: true });
  for (let sent = 0; sent < bytes.length;) sent += await file.write(bytes.subarray(sent));
  await file.sync();
  await handOver(path);
}

/** Makes the names in a folder durable, as `sync` of a file does its bytes. */
export async function syncFolder(folder: string): Promise<void> {
  using opened = await Deno.open(folder, { read: true });
  await opened.sync();
}

/** Makes a folder in another one, which is made too; nothing happens where it is there, unless it has to be new. */
export async function makeFolder(
  within: string,
  name: string,
  { isNew = false, mode }: { readonly isNew?: boolean; readonly mode?: number } = {},
): Promise<string> {
  const path = `${within}/${name}`;
  await Deno.mkdir(path, { recursive: !isNew, mode });
  await handOver(path);
  return path;
}

/** What there is of a file; undefined when it is missing. */
export async function unlessMissing<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

/**
 * A command of root leaves nothing behind that the services, which own the folder, could not write to afterwards. A draft may be
 * gone already: another process removes it once it is not needed.
 */
async function handOver(path: string): Promise<void> {
  const own = await unlessMissing(() => Deno.stat(path));
  if (own?.uid !== 0) return;
  const folder = await Deno.stat(path.slice(0, path.lastIndexOf("/")));
  if (folder.uid === 0) return;
  await unlessMissing(() => Deno.chown(path, folder.uid, folder.gid));
}
