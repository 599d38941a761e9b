/**
 * Compiles the three programs, each into one file that needs nothing beside it.
 *
 * `deno task compile [--target <triple>] [--output <folder>]`. The folder is `dist`, or `dist/<triple>` with a target. Set
 * COMPILE_DENO to compile by another Deno than this one, and COMMIT where there is no git to ask.
 * @module
 */
// deno-lint-ignore-file no-console -- the terminal is where this speaks

import { parseArgs } from "node:util";
import { COMMIT_FILE, compileArguments } from "./binary.ts";
import { isOlder, OLDER_FLAGS, olderEntry } from "./older_deno.ts";
import { PROGRAMS, readTask } from "./programs.ts";

const ROOT = new URL("../", import.meta.url);
const TEXT = { type: "string" } as const;

await compile(Deno.args);

async function compile(args: string[]): Promise<void> {
  const { target, output = target ? `dist/${target}` : "dist" } = optionsOf(args);
  const deno = Deno.env.get("COMPILE_DENO") || Deno.execPath();
  const older = isOlder(await outputOf(deno, ["eval", "console.log(Deno.version.deno)"]));
  const denoFlags = older ? OLDER_FLAGS : [];
  await write(COMMIT_FILE, await currentCommit());
  for (const { name, task } of PROGRAMS) {
    const { flags, entry: own } = await readTask(task);
    const entry = older ? await write(`dist/older_${own}`, olderEntry(own)) : own;
    const path = `${output}/${name}`;
    await outputOf(deno, compileArguments({ flags, entry, output: path, target, denoFlags }));
    console.log(`compiled ${path}`);
  }
}

function optionsOf(args: string[]) {
  try {
    return parseArgs({ args, options: { target: TEXT, output: TEXT } }).values;
  } catch (error) {
    return fail((error as Error).message);
  }
}

/** With a mark when files were changed since. */
async function currentCommit(): Promise<string> {
  const given = Deno.env.get("COMMIT");
  return given ||
    await outputOf("git", ["describe", "--always", "--dirty", "--exclude=*", "--abbrev=12"]);
}

async function write(path: string, text: string): Promise<string> {
  const file = new URL(path, ROOT);
  await Deno.mkdir(new URL(".", file), { recursive: true });
  await Deno.writeTextFile(file, text);
  return path;
}

/** What a program says; its errors go to the terminal. */
async function outputOf(program: string, args: string[]): Promise<string> {
  const command = new Deno.Command(program, { args, cwd: ROOT, stderr: "inherit" });
  const { success, stdout } = await command.output();
  return success ? new TextDecoder().decode(stdout).trim() : fail(`${program} ${args[0]} failed`);
}

function fail(message: string): never {
  console.error(`Cannot compile: ${message}`);
  Deno.exit(1);
}
