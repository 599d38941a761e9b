import { assertEquals } from "@std/assert";

/** Who may import whom, a line for each part, from the top down. Inside a part all is allowed. */
const MAY_IMPORT: Record<string, readonly string[]> = {
  entry: ["cli", "service", "web", "worker"],
  service: ["app", "base", "version", "wire"],
  wire: ["app", "base", "contract", "db", "outside", "registry"],
  web: ["app", "base", "contract", "db", "flow"],
  worker: ["app", "base", "contract", "db", "flow"],
  cli: [
    "app",
    "backup",
    "base",
    "contract",
    "contracts",
    "db",
    "flow",
    "outside",
    "registry",
    "setting",
    "version",
    "wire",
  ],
  backup: ["base", "contracts", "db"],
  flow: ["app", "base", "contract", "db"],
  app: ["base", "contract", "db"],
  registry: ["base", "contract", "define", "handlers", "setting", "sources"],
  handlers: ["base", "contract", "contracts", "define", "outside", "setting"],
  sources: ["base", "contract", "define", "setting"],
  outside: ["base", "contract", "define", "setting"],
  contracts: ["base", "contract", "setting"],
  db: ["base", "contract"],
  define: ["contract", "setting"],
  base: ["contract", "setting"],
  contract: ["effect", "ports", "setting"],
  effect: [],
  ports: [],
  setting: [],
  version: ["deno.json"],
};

const MAX_LINES = 250;
/** How many rules "What always holds" in ARCHITECTURE has. */
const RULES = 21;
const ROOT = new URL("../", import.meta.url);
const ENTRIES = ["main.ts", "worker.ts", "cli.ts"];
/** What touches the process, and who may. */
const PROCESS = /Deno\.(env|args|exit|exitCode|addSignalListener)\b/;
const MAY_TOUCH_PROCESS = [...ENTRIES, "lib/service.ts"];

const files = new Map<string, string>();
for (const path of [...ENTRIES, ...await Array.fromAsync(walk("lib"))]) {
  const text = await Deno.readTextFile(new URL(path, ROOT)).catch((error) => {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  });
  if (text !== undefined) files.set(path, text);
}

Deno.test("imports go down only", () => {
  assertEquals(arrows().filter(({ from, to }) => !isAllowed(from, to)).map(({ line }) => line), []);
});

Deno.test("no file is longer than can be held in mind", () => {
  const long = [...files].map(([path, text]) => ({
    path,
    lines: text.trimEnd().split("\n").length,
  }))
    .filter(({ lines }) => lines > MAX_LINES).map(({ path, lines }) =>
      `${path}: ${lines} lines, at most ${MAX_LINES}`
    );
  assertEquals(long, []);
});

Deno.test("only entries read the environment, arguments and signals, or end the process", () => {
  const found = [...files].filter(([path]) => !MAY_TOUCH_PROCESS.includes(path))
    .flatMap(([path, text]) => {
      const touched = PROCESS.exec(withoutComments(text));
      return touched ? [`${path} uses ${touched[0]}: let its entry hand it in`] : [];
    });
  assertEquals(found, []);
});

Deno.test("each module says in its first lines what it is for", () => {
  const silent = [...files].filter(([_, text]) =>
    !/^(#!.*\n)?\/\*\*\n \* \S[^]*?@module\n \*\/\n/.test(text)
  );
  assertEquals(silent.map(([path]) => path), []);
});

Deno.test("each rule of ARCHITECTURE has a test that says so in its name", async () => {
  const rules = Array.from({ length: RULES }, (_, index) => index + 1);
  const shown = new Set<number>();
  for await (const path of walk("tests")) {
    // This file speaks of rules that it does not show.
    if (!path.endsWith("_test.ts") || import.meta.url.endsWith(path)) continue;
    for (const rule of rulesNamedIn(await Deno.readTextFile(new URL(path, ROOT)))) shown.add(rule);
  }
  assertEquals(rules.filter((rule) => !shown.has(rule)).map((rule) => `rule ${rule}`), []);
  assertEquals([...shown].filter((rule) => !rules.includes(rule)), [], "there are no such rules");
});

Deno.test("a rule counts as named at the end of a name only, alone or beside others", () => {
  const names = '"a claim (rule 4)", `of ${x} (rule 5, rule 18, F042)`, "rule 6", "(rule 7) or so"';
  assertEquals(rulesNamedIn(names), [4, 5, 18]);
});

Deno.test("the check finds an arrow that goes up", () => {
  assertEquals(isAllowed("db", "flow"), false);
  assertEquals(isAllowed("web", "worker"), false);
  assertEquals(importsOf('import { a } from "../flow/a.ts";', "lib/db/x.ts"), ["lib/flow/a.ts"]);
  assertEquals(importsOf('export type { A } from "./a.ts";', "lib/db/x.ts"), ["lib/db/a.ts"]);
  assertEquals(importsOf('await import("../web/a.ts")', "lib/db/x.ts"), ["lib/web/a.ts"]);
});

/** The rules that names of tests carry: `"... (rule 7)"`. */
function rulesNamedIn(text: string): number[] {
  const marks = [...text.matchAll(/\(([^()]*\brule \d[^()]*)\)["`]/g)].map(([_, mark]) => mark!);
  return marks.flatMap((mark) =>
    [...mark.matchAll(/\brule (\d+)/g)].map((rule) => Number(rule[1]))
  );
}

function arrows() {
  return [...files].flatMap(([path, text]) =>
    importsOf(text, path).map((target) => {
      const [from, to] = [partOf(path), partOf(target)];
      const allowed = MAY_IMPORT[from]?.join(", ") || "nothing";
      return {
        from,
        to,
        line: `${from} -> ${to}: ${path} imports ${target}; ${from} may import ${allowed}`,
      };
    })
  ).filter(({ from, to }) => from !== to);
}

function isAllowed(from: string, to: string): boolean {
  return MAY_IMPORT[from]?.includes(to) ?? false;
}

/** `lib/db/jobs.ts` is of the part `db`, `lib/app.ts` of `app`, `main.ts` of `entry`. */
function partOf(path: string): string {
  const [root, part] = path.split("/");
  return root === "lib" ? part!.replace(/\.ts$/, "") : ENTRIES.includes(path) ? "entry" : path;
}

function importsOf(text: string, path: string): string[] {
  const specifiers = text.matchAll(/(?:\bfrom|\bimport)\s*\(?\s*"(\.{1,2}\/[^"]+)"/g);
  return [...specifiers].map(([_, specifier]) =>
    new URL(specifier!, `file:///${path}`).pathname.slice(1)
  );
}

function withoutComments(text: string): string {
  return text.replaceAll(/\/\*[^]*?\*\/|\/\/.*/g, "");
}

async function* walk(folder: string): AsyncGenerator<string> {
  for await (const { name, isDirectory } of Deno.readDir(new URL(`${folder}/`, ROOT))) {
    if (isDirectory) yield* walk(`${folder}/${name}`);
    else if (name.endsWith(".ts")) yield `${folder}/${name}`;
  }
}
