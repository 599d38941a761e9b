/** The compiled programs, for tests: made once for a state of the sources, or the reason why they cannot be made. */

import { sha256 } from "../../lib/contracts/storage.ts";

/** Where the binaries are, or what is missing to make them. */
export type Binaries =
  | { folder: string; missing?: undefined }
  | { folder?: undefined; missing: string };

/** What they are told to be made of, in place of a commit. */
export const COMMIT = "of the tests";

const ROOT = new URL("../../", import.meta.url).pathname;
const FOLDER = `${ROOT}.hookwork/binaries`;
const SOURCES = [
  "cli.ts",
  "deno.json",
  "deno.lock",
  "deploy",
  "lib",
  "main.ts",
  "migrations",
  "templates",
  "worker.ts",
];
/** The base of every binary comes from there, unless DENORT_BIN names one. */
const BASE_HOST = "dl.deno.land";

/**
 * Compiles by COMPILE_DENO and DENORT_BIN where they are set, else by the Deno that runs the tests, which downloads its
 * base. Throws when that fails for another reason than a missing base.
 */
export async function compiledBinaries(): Promise<Binaries> {
  const made = `${FOLDER}/${await fingerprint()}`;
  if (await exists(made)) return { folder: made };
  await Deno.remove(FOLDER, { recursive: true }).catch(ignoreMissing);
  const draft = `${FOLDER}/draft-${Deno.pid}`;
  const { success, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["task", "-q", "compile", "--output", draft],
    cwd: ROOT,
    env: { COMMIT },
    stdout: "null",
    stderr: "piped",
  }).output();
  const said = new TextDecoder().decode(stderr);
  if (success) {
    await Deno.rename(draft, made);
    return { folder: made };
  }
  if (!said.includes(BASE_HOST)) throw new Error(`deno task compile failed:\n${said}`);
  const missing =
    "neither can Deno download its base for binaries, nor are COMPILE_DENO and DENORT_BIN set";
  return { missing };
}

async function fingerprint(): Promise<string> {
  const toolchain = ["COMPILE_DENO", "DENORT_BIN"].map((name) => Deno.env.get(name) ?? "");
  const parts = [Deno.version.deno, ...toolchain];
  for (const source of SOURCES) parts.push(...await Array.fromAsync(contents(source)));
  return (await sha256(new TextEncoder().encode(parts.join("\0")))).slice(0, 16);
}

/** The text of a file, or of all files of a folder. */
async function* contents(path: string): AsyncGenerator<string> {
  const { isFile } = await Deno.stat(ROOT + path);
  if (isFile) return yield `${path}\0${await Deno.readTextFile(ROOT + path)}`;
  const entries = await Array.fromAsync(Deno.readDir(ROOT + path), ({ name }) => name);
  for (const name of entries.toSorted()) yield* contents(`${path}/${name}`);
}

async function exists(path: string): Promise<boolean> {
  return await Deno.stat(path).then(() => true, (error) => ignoreMissing(error) ?? false);
}

function ignoreMissing(error: unknown): void {
  if (!(error instanceof Deno.errors.NotFound)) throw error;
}
