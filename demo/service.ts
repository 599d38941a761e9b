/**
 * How Hookwork's own programs are started: with the flags of the tasks in deno.json, and no settings but those given.
 * @module
 */
import { type ProgramTask, readTask } from "../deploy/programs.ts";
import { allSettings } from "../lib/registry.ts";

const OWN_SETTINGS = Object.keys(allSettings());

/** What to start otherwise than the task does. */
export interface ServiceOptions {
  /** Another file with what the task's own may do. */
  readonly file?: string;
  /** Further flags of `deno run`. */
  readonly flags?: readonly string[];
  readonly args?: readonly string[];
  /** Whether the operator's .env is read. */
  readonly envFile: boolean;
}

/** The command that runs one of the three programs as its task does. */
export async function serviceCommand(
  task: ProgramTask,
  { file, flags = [], args = [], envFile }: ServiceOptions,
): Promise<string[]> {
  const { flags: given, entry } = await readTask(task);
  const kept = given.filter((flag) => envFile || !flag.startsWith("--env-file"));
  return [Deno.execPath(), "run", ...kept, ...flags, file ?? entry, ...args];
}

/** The environment that a program inherits, without the variables that are settings of Hookwork. */
export function inheritedEnvironment(environment: Record<string, string>): Record<string, string> {
  const names = Object.keys(environment).filter((name) => !OWN_SETTINGS.includes(name));
  return Object.fromEntries(names.map((name) => [name, environment[name]!]));
}
