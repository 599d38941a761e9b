/** The documents lead somewhere, name what is there, and are the same in both languages. */

import { assert, assertEquals } from "@std/assert";
import { examine } from "../lib/flow/doctor.ts";
import { freshApp } from "./support/app.ts";
import { PAIRS, pastedFiles, ROOT, tableUnder, texts } from "./support/documents.ts";

type Name = keyof typeof texts;
const given = new Map<string, string>(Object.entries(texts));

for (const [name, text] of Object.entries(texts) as [Name, string][]) {
  Deno.test(`${name} names no file, page or task that is not there`, async () => {
    const { tasks } = JSON.parse(await Deno.readTextFile(`${ROOT}deno.json`));
    const named = [...text.matchAll(/denow task (?:-q )?(\w+)/g)].map(([, task]) => task!);
    assertEquals(named.filter((task) => !(task in tasks)), []);
    const paths = [...text.matchAll(/`((?:lib|demo|tests|migrations|jsr)\/[\w./-]*)`/g)];
    const linked = linksOf(name);
    const missing = [...paths.map(([, path]) => path!), ...linked.map(({ path }) => path)]
      .filter((path) => !isThere(path) && !pastedFiles.has(path));
    assertEquals(missing, []);
    assertEquals(linked.filter(({ path, anchor }) => !hasHeading(path, anchor)), []);
  });
}

for (const pair of PAIRS) {
  Deno.test(`${pair.join(" and ")} have the same commands, settings and links, so that neither falls behind`, () => {
    const [english, russian] = pair.map((name) => ({
      blocks: blocksOf(texts[name]).filter((block) => !block.startsWith("text\n")),
      rows: [...texts[name].matchAll(/^\| (`[^|]*`) +\|/gm)].map(([, cell]) => cell),
      code: codeOf(texts[name]),
      pages: sorted(linksOf(name).map(({ path }) => path.replace(/\.ru\.md$/, ".md"))),
    }));
    assert(english!.blocks.length > 0);
    assertEquals(russian, english);
  });
}

/** The blocks of code, each after its language. Those of the language `text` are for reading. */
function blocksOf(text: string): string[] {
  return [...text.matchAll(/^ *```(\w.*?)^ *```$/gms)].map(([, block]) => block!);
}

/** The code within sentences and tables, which may be broken over lines. */
function codeOf(text: string): string[] {
  const prose = text.replaceAll(/^ *```.*?^ *```$/gms, "");
  return sorted([...prose.matchAll(/`[^`]+`/g)].map(([code]) => code.replaceAll(/\s+/g, " ")));
}

const sorted = (values: readonly string[]) => [...new Set(values)].toSorted();

Deno.test("docs/operate.md says of each thing that the doctor looks at what helps", async () => {
  await using app = await freshApp();
  const named = tableUnder(texts["docs/operate.md"], "Part").map(([part]) => part);
  const parts = (await examine(app)).map(({ part }) => `\`${part}\``);
  assertEquals(parts.filter((part) => !named.includes(part)), []);
});

Deno.test("The tests that docs/operate.md names are there, each in its file", () => {
  const plain = texts["docs/operate.md"].replaceAll(/\s+/g, " ");
  const named = [...plain.matchAll(/`(tests\/[\w./]+)`: ("[^"]+"(?:, "[^"]+")*)/g)]
    .flatMap(([, file, names]) =>
      names!.slice(1, -1).split('", "').map((name) => ({ file, name }))
    );
  assert(named.length > 0);
  const missing = named.filter(({ file, name }) =>
    !Deno.readTextFileSync(ROOT + file).includes(name)
  );
  assertEquals(missing, []);
});

/** Where the links of a document lead within the project: the page, and the heading on it. */
function linksOf(name: Name): { path: string; anchor: string | undefined }[] {
  const links = [...texts[name].matchAll(/\]\(([\w./-]*)(#[\p{L}\p{N}_-]+)?\)/gu)];
  const page = new URL(name, "file:///");
  return links.map(([, path, anchor]) => ({
    path: new URL(path!, page).pathname.slice(1),
    anchor,
  }));
}

function isThere(path: string): boolean {
  try {
    Deno.statSync(ROOT + path);
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

function hasHeading(document: string, anchor: string | undefined): boolean {
  if (anchor === undefined) return true;
  const headings = [...(given.get(document) ?? "").matchAll(/^#+ (.*)$/gm)];
  const slugs = headings.map(([, title]) =>
    title!.toLowerCase().replaceAll(/[^\p{L}\p{N}_\s-]/gu, "").replaceAll(" ", "-")
  );
  return slugs.includes(anchor.slice(1));
}
