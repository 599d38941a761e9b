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
import { PROGRAMS, readTask } from "./programs.ts";

const ROOT = new URL("../", import.meta.url);

await compile(Deno.args);

async function compile(args: string[]): Promise<void> {
  const { target, output = target ? `dist/${target}` : "dist" } = options(args);
  const deno = Deno.env.get("COMPILE_DENO") || Deno.execPath();
  const denoVersion = await outputOf(deno, ["eval", "console.log(Deno.version.deno)"]);
  await writeCommit();
  for (const { name, task } of PROGRAMS) {
    const path = `${output}/${name}`;
    await run(
      deno,
      compileArguments({ ...await readTask(task), output: path, target, denoVersion }),
    );
    console.log(`compiled ${path}`);
  }
}

function options(args: string[]) {
  const text = { type: "string" } as const;
  try {
    return parseArgs({ args, options: { target: text, output: text } }).values;
  } catch (error) {
    return fail((error as Error).message);
  }
}

async function writeCommit(): Promise<void> {
  const commit = Deno.env.get("COMMIT") ||
    await outputOf("git", ["describe", "--always", "--dirty", "--exclude=*", "--abbrev=12"]);
  const file = new URL(COMMIT_FILE, ROOT);
  await Deno.mkdir(new URL(".", file), { recursive: true });
  await Deno.writeTextFile(file, commit);
}

async function outputOf(program: string, args: string[]): Promise<string> {
  const { success, stdout } = await command(program, args, { stdout: "piped" }).output();
  if (!success) fail(`${program} ${args.join(" ")} failed`);
  return new TextDecoder().decode(stdout).trim();
}

async function run(program: string, args: string[]): Promise<void> {
  const { success } = await command(program, args).output();
  if (!success) fail(`${program} ${args.join(" ")} failed`);
}

function command(program: string, args: string[], options: Deno.CommandOptions = {}) {
  return new Deno.Command(program, {
    args,
    cwd: ROOT,
    stdout: "inherit",
    stderr: "inherit",
    ...options,
  });
}

function fail(message: string): never {
  console.error(`Cannot compile: ${message}`);
  Deno.exit(1);
}
