/**
 * Where the command line has its settings from: its environment, or the file that the services of a server are given.
 * @module
 */
import { parseEnvironmentFile } from "../base/environment_file.ts";
import { ConfigError } from "../base/errors.ts";

const SERVER_FILE = "/etc/hookwork/hookwork.env";
/** Names another file. */
const FILE_VARIABLE = "HOOKWORK_ENV_FILE";

type Environment = Readonly<Record<string, string>>;

/**
 * The settings of a command. Where the environment does not name a database, the file's are taken, if there is one; what the
 * environment sets goes before them. Throws a ConfigError when the file cannot be read, or would arrive changed in a service.
 */
export function settingsOfServer(
  environment: Environment,
  read: (path: string) => string = Deno.readTextFileSync,
): Environment {
  const named = environment[FILE_VARIABLE];
  if (named === undefined && environment.DATABASE_URL !== undefined) return environment;
  const path = named ?? SERVER_FILE;
  try {
    return { ...parseEnvironmentFile(read(path), path), ...environment };
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    // On another machine than a server there is none.
    if (named === undefined && error instanceof Deno.errors.NotFound) return environment;
    throw new ConfigError([`${path} cannot be read: ${helpWith(error)}`]);
  }
}

function helpWith(error: unknown): string {
  if (error instanceof Deno.errors.PermissionDenied) {
    return "only root and the group hookwork may; run the command by sudo";
  }
  return `${error instanceof Error ? error.message : error}; see whether the file is there`;
}
