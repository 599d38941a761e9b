/**
 * How Hookwork's own programs are started: with the flags of the tasks in deno.json, and no settings but those given.
 * @module
 */
import { coreSettings } from "../lib/base/config.ts";
import { definitions, registrySettings } from "../lib/registry.ts";

const DENO_JSON = new URL("../deno.json", import.meta.url);
const OWN_SETTINGS = [coreSettings, ...registrySettings(definitions).map((group) => group.settings)]
  .flatMap((settings) => Object.keys(settings));

/** The command that runs one of the project's entry files as its task does; `flags` come before the file. */
export async function serviceCommand(
  file: string,
  options: { flags?: readonly string[]; args?: readonly string[]; envFile: boolean },
): Promise<string[]> {
  const { flags = [], args = [], envFile } = options;
  const { tasks } = JSON.parse(await Deno.readTextFile(DENO_JSON));
  const [, ...given] = words(tasks.service.command);
  const kept = given.filter((word) => envFile || !word.startsWith("--env-file"));
  return [Deno.execPath(), ...kept, ...flags, file, ...args];
}

/** The environment that a program inherits, without the variables that are settings of Hookwork. */
export function inheritedEnvironment(environment: Record<string, string>): Record<string, string> {
  const names = Object.keys(environment).filter((name) => !OWN_SETTINGS.includes(name));
  return Object.fromEntries(names.map((name) => [name, environment[name]!]));
}

/** The words of a command; quotes hold one together. */
function words(command: string): string[] {
  return (command.match(/'[^']*'|\S+/g) ?? []).map((word) => word.replaceAll("'", ""));
}
