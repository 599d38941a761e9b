/** Where an embedded Postgres may live, and the user it runs as: never root, which it refuses. */

/** The user for `initdb` and `postgres`; undefined means the current one. */
export type User = { uid: number; gid: number } | undefined;

/** The current user, unless that is root: then the machine's `nobody`. */
export async function postgresUser(): Promise<User> {
  if (Deno.uid() !== 0) return undefined;
  const users = await Deno.readTextFile("/etc/passwd").catch(() => "");
  const [, uid, gid] = users.match(/^nobody:[^:]*:(-?\d+):(-?\d+):/m) ?? ["", "65534", "65534"];
  // macOS writes nobody's ids as negative numbers.
  return { uid: Number(uid) >>> 0, gid: Number(gid) >>> 0 };
}

/** Makes the folder, or one under the temp folder if the user could not enter it (a root's home). */
export async function makeHome(
  dir: string,
  user: User,
  log: (line: string) => void,
): Promise<string> {
  await Deno.mkdir(dir, { recursive: true });
  const barrier = user && await findBarrier(dir);
  if (!barrier) return dir;
  const place = `${await tempDir()}/hookwork-${await shortHash(dir)}`;
  log(`Postgres runs as user ${user.uid}, who cannot enter ${barrier}: its files are in ${place}`);
  await makeOwn(place);
  return place;
}

/** Tells whether there is a file at the path. */
export async function isFile(path: string): Promise<boolean> {
  return await Deno.stat(path).then((info) => info.isFile, () => false);
}

/** Tells whether there is a folder at the path. */
export async function isFolder(path: string): Promise<boolean> {
  return await Deno.stat(path).then((info) => info.isDirectory, () => false);
}

/** The first folder on the way up that others may not enter. */
async function findBarrier(dir: string): Promise<string | undefined> {
  for (let path = dir; path !== ""; path = path.slice(0, path.lastIndexOf("/"))) {
    const { mode } = await Deno.stat(path);
    if (!(mode! & 0o001)) return path;
  }
}

async function tempDir(): Promise<string> {
  const probe = await Deno.makeTempDir();
  await Deno.remove(probe);
  const parent = probe.slice(0, probe.lastIndexOf("/"));
  return await findBarrier(parent) ? "/tmp" : parent;
}

/** Anyone may write in the temp folder, so what is there under our name must also be ours. */
async function makeOwn(dir: string): Promise<void> {
  await Deno.mkdir(dir).catch((error) => {
    if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
  });
  const info = await Deno.lstat(dir);
  if (!info.isDirectory || info.uid !== Deno.uid()) {
    throw new Error(`Cannot use ${dir}: it belongs to user ${info.uid}, remove it and try again`);
  }
  await Deno.chmod(dir, 0o755);
}

async function shortHash(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return new Uint8Array(digest).toHex().slice(0, 12);
}
