/** The data folder of an embedded Postgres: made once, used by one process at a time. */

import { isFolder, type User } from "./home.ts";
import { pidFile, QUIET, readPidFile } from "./process.ts";

/** A data folder that is ours until it is released. */
export interface Cluster {
  password: string;
  release(): void;
}

/** Makes the data folder if it is missing, and takes hold of it. */
export async function openCluster(
  options: { binaries: string; dir: string; user: User; durable: boolean },
): Promise<Cluster> {
  const { dir } = options;
  if (!await isFolder(dir)) await createCluster(options);
  const lock = await takeLock(dir);
  try {
    await outlivePredecessor(dir);
    const password = await Deno.readTextFile(`${dir}/password`);
    return { password, release: () => lock.close() };
  } catch (error) {
    lock.close();
    throw error;
  }
}

/** Built aside and renamed, so that a half-made folder is never taken for a whole one. */
async function createCluster(
  { binaries, dir, user, durable }: Parameters<typeof openCluster>[0],
): Promise<void> {
  const draft = `${dir}.${crypto.randomUUID().slice(0, 8)}`;
  await Deno.mkdir(draft, { mode: 0o700 });
  try {
    // A password, since on a shared machine every user can reach the port.
    await Deno.writeTextFile(`${draft}/password`, randomPassword(), { mode: 0o600 });
    if (user) await giveTo(user, draft, `${draft}/password`);
    await initdb(binaries, draft, user, durable);
    await Deno.rename(draft, dir);
  } catch (error) {
    await Deno.remove(draft, { recursive: true });
    if (!await isFolder(dir)) throw error;
  }
}

async function initdb(binaries: string, dir: string, user: User, durable: boolean): Promise<void> {
  const args = [
    `--pgdata=${dir}/data`,
    `--pwfile=${dir}/password`,
    "--username=postgres",
    "--auth=scram-sha-256",
    "--encoding=UTF8",
    // The same order and upper case on every machine, whatever locales it has.
    "--locale=C",
    "--locale-provider=builtin",
    "--builtin-locale=C.UTF-8",
    "--no-instructions",
    ...durable ? [] : ["--no-sync"],
  ];
  const command = new Deno.Command(`${binaries}/bin/initdb`, { args, cwd: dir, ...QUIET, ...user });
  const { success, stderr } = await command.output();
  if (success) return;
  throw new Error(`Cannot make a database in ${dir}:\n${new TextDecoder().decode(stderr)}`);
}

async function giveTo(user: { uid: number; gid: number }, ...paths: string[]): Promise<void> {
  for (const path of paths) await Deno.chown(path, user.uid, user.gid);
}

function randomPassword(): string {
  return crypto.getRandomValues(new Uint8Array(18)).toHex();
}

/** The system drops such a lock with its process, so a crash leaves nothing to clean up. */
async function takeLock(dir: string): Promise<Deno.FsFile> {
  const file = await Deno.open(`${dir}/lock`, { create: true, write: true });
  if (await file.tryLock(true)) return file;
  file.close();
  throw new Error(`The database in ${dir} is in use by another process: stop that one first`);
}

/** Waits for the Postgres of a killed owner to stop, and clears the note of a killed Postgres. */
async function outlivePredecessor(dir: string): Promise<void> {
  const deadline = Date.now() + 10_000;
  for (let noted; (noted = await readPidFile(dir));) {
    // By its port, not by its process id, which after a reboot may be anyone's.
    if (await accepts(noted.port) && Date.now() < deadline) await delay(50);
    else await Deno.remove(pidFile(dir)).catch(() => {});
  }
}

async function accepts(port: number): Promise<boolean> {
  return await Deno.connect({ hostname: "127.0.0.1", port }).then((connection) => {
    connection.close();
    return true;
  }, () => false);
}

function delay(ms: number): Promise<void> {
  return new Promise((wake) => setTimeout(wake, ms));
}
