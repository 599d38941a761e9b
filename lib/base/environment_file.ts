/**
 * Reads the settings' file of a server, as systemd's `EnvironmentFile=` does.
 *
 * systemd drops or changes some lines without a word: a backslash outside of quotes, a line that begins with `export`, all
 * that follows a quote which is never closed. Such lines are refused here, so what can be read arrives in a service as it is
 * read. See systemd.exec(5); compared with systemd 252.
 * @module
 */
import { ConfigError } from "./errors.ts";

const IGNORED = /^[ \t]*([#;].*)?$/;
const ASSIGNMENT = /^[ \t]*([A-Za-z_][A-Za-z0-9_]*)[ \t]*=[ \t]*(.*?)[ \t]*$/;
const SINGLE_QUOTED = /^'([^']*)'$/;
const DOUBLE_QUOTED = /^"((?:[^"\\]|\\.)*)"$/;
const BARE = /^[^'"\\][^\\]*$/;
/** Before another character the backslash stays. */
const ESCAPED = /\\(["\\`$])/g;

const QUOTES = "put the value between single quotes, or between double quotes with a backslash " +
  'before each of " \\ ` $ in it';

/** The variables of such a file; of a name that comes twice, the last. Throws a ConfigError with each line that is unfit, never with a value. */
export function parseEnvironmentFile(text: string, name: string): Record<string, string> {
  const variables: Record<string, string> = {};
  const problems: string[] = [];
  for (const [index, line] of text.split(/\r\n|[\r\n]/).entries()) {
    const read = readLine(line);
    if (typeof read === "string") problems.push(`${name}, line ${index + 1}: ${read}`);
    else Object.assign(variables, read);
  }
  if (problems.length > 0) throw new ConfigError(problems);
  return variables;
}

/** What a line sets, or what is wrong with it. */
function readLine(line: string): Record<string, string> | string {
  if (IGNORED.test(line)) {
    return line.endsWith("\\")
      ? "it is a comment that ends with a backslash, which takes the next line with it; remove that"
      : {};
  }
  const [, variable, value] = ASSIGNMENT.exec(line) ?? [];
  if (variable === undefined || value === undefined) {
    return "it is not NAME=value; write nothing before the name, and # before a comment";
  }
  const meant = readValue(value);
  return meant === undefined
    ? `the value of ${variable} would not arrive as it is written; ${QUOTES}`
    : { [variable]: meant };
}

function readValue(value: string): string | undefined {
  if (value === "" || BARE.test(value)) return value;
  return SINGLE_QUOTED.exec(value)?.[1] ??
    DOUBLE_QUOTED.exec(value)?.[1]?.replaceAll(ESCAPED, "$1");
}
