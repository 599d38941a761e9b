/**
 * Lines for the terminal: each begins with who speaks, in a colour of its own.
 * @module
 */

const COLORS = [36, 33, 35, 32, 34, 31];
const NAME_COLUMNS = 9;

/** Makes a function that puts a name before a line; without colours when `color` is false. */
export function createPrefixer(
  { color }: { color: boolean },
): (name: string, line: string) => string {
  const seen: string[] = [];
  return (name, line) => {
    if (!seen.includes(name)) seen.push(name);
    const prefix = `${name.padEnd(NAME_COLUMNS)}│`;
    if (!color) return `${prefix} ${line}`;
    return `\x1b[${COLORS[seen.indexOf(name) % COLORS.length]}m${prefix}\x1b[0m ${line}`;
  };
}
