/** The documents, as tests read them. */

import { assert } from "@std/assert";

/** The folder of the project, with a slash at its end. */
export const ROOT = new URL("../../", import.meta.url).pathname;

/** What there is in two languages: English, then Russian. */
export const PAIRS = [
  ["README.md", "README.ru.md"],
  ["docs/switch-over.md", "docs/switch-over.ru.md"],
] as const;

const NAMES = [
  ...PAIRS.flat(),
  "ARCHITECTURE.md",
  "CONTRIBUTING.md",
  "CHANGELOG.md",
  "docs/operate.md",
  "docs/upgrade.md",
  "docs/deploy.md",
  "docs/contract.md",
] as const;

/** The text of each document, by its path in the project. */
export const texts = Object.fromEntries(
  NAMES.map((name) => [name, Deno.readTextFileSync(ROOT + name)]),
) as Record<typeof NAMES[number], string>;

/** README's blocks of code that stand for a file, by its path, which follows the language. */
export const pastedFiles = new Map(
  [...texts["README.md"].matchAll(/^```\w+ (\S+)\n(.*?)^```$/gms)]
    .map(([, path, code]) => [path!, code!]),
);

/** The cells of the table whose first title this is, without the titles. */
export function tableUnder(text: string, title: string): string[][] {
  const lines = text.split("\n");
  const start = lines.findIndex((line) => line.startsWith(`| ${title} `));
  assert(start >= 0, `no table begins with "${title}"`);
  const rest = lines.slice(start + 2);
  const end = rest.findIndex((line) => !line.startsWith("|"));
  return rest.slice(0, end).map((line) => line.split("|").slice(1, -1).map((cell) => cell.trim()));
}
