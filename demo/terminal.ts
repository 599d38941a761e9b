/**
 * Lines for the terminal: each begins with who speaks, in a colour of its own.
 * @module
 */

/** Codes of SGR: cyan, yellow, magenta, green, blue. */
const COLORS = [36, 33, 35, 32, 34];
const NAME_COLUMNS = 9;

/** Makes the function that gives each speaker a function to print lines with. */
export function createPrefixer(
  { color }: { color: boolean },
): (name: string) => (line: string) => void {
  let speakers = 0;
  return (name) => {
    const prefix = `${name.padEnd(NAME_COLUMNS)}│`;
    const code = COLORS[speakers++ % COLORS.length];
    const shown = color ? `\x1b[${code}m${prefix}\x1b[0m` : prefix;
    // deno-lint-ignore no-console -- the terminal is where this speaks
    return (line) => console.log(`${shown} ${line}`);
  };
}
