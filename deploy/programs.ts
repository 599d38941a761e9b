/**
 * The three programs, and what each may do: their tasks in deno.json are the one list of that, for runs from source, for
 * the tests and for the binaries.
 * @module
 */

const DENO_JSON = new URL("../deno.json", import.meta.url);

/** A program's task in deno.json. */
export type ProgramTask = "serve" | "work" | "cli";

/** Each binary's name, and the task that starts the same program from source. */
export const PROGRAMS: readonly { readonly name: string; readonly task: ProgramTask }[] = [
  { name: "hookwork-receiver", task: "serve" },
  { name: "hookwork-worker", task: "work" },
  { name: "hookwork", task: "cli" },
];

/** What a task says to `deno run`. */
export interface TaskCommand {
  readonly flags: readonly string[];
  readonly entry: string;
}

/** Reads a program's task: `deno run`, its flags, and the file. Paths are relative to the project. */
export async function readTask(task: ProgramTask): Promise<TaskCommand> {
  const { tasks } = JSON.parse(await Deno.readTextFile(DENO_JSON));
  const [, , ...words] = tasks[task].command.split(" ");
  return { flags: words.slice(0, -1), entry: words.at(-1)! };
}
