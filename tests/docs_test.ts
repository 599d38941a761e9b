/** The documents say what is so: their code runs, their tables are the program's, their links lead somewhere. */

import { assert, assertEquals } from "@std/assert";
import type { Command } from "commander";
import { parseEnv } from "node:util";
import { serviceCommand } from "../demo/service.ts";
import { randomSettings } from "../demo/settings.ts";
import { type ProgramTask, readTask } from "../deploy/programs.ts";
import { backoffSeconds } from "../lib/base/backoff.ts";
import { coreSettings, loadConfig, settingsOf } from "../lib/base/config.ts";
import { sellerOf, sellerSettings } from "../lib/contracts/seller.ts";
import { createProgram } from "../lib/cli/program.ts";
import type { Setting } from "../lib/setting.ts";
import { examine } from "../lib/flow/doctor.ts";
import { createIntake } from "../lib/flow/intake.ts";
import { watchOutage } from "../lib/flow/outage.ts";
import { watchProofs } from "../lib/flow/proofs.ts";
import { siteForm } from "../lib/handlers/site_form.ts";
import { allSettings, definitions, definitionsInUse, registrySettings } from "../lib/registry.ts";
import { site } from "../lib/sources/site.ts";
import { createHandler } from "../lib/web/routes.ts";
import { serve } from "../lib/web/server.ts";
import { fakeTelegram, TOKEN } from "./outside/support.ts";
import { freshApp } from "./support/app.ts";
import { testDatabase } from "./support/database.ts";
import { startProcess } from "./support/process.ts";
import { until } from "./support/until.ts";

const ROOT = new URL("../", import.meta.url).pathname;
/** What there is in two languages. */
const PAIRS = [
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
  "docs/contract.md",
] as const;
const texts = Object.fromEntries(NAMES.map((name) => [name, Deno.readTextFileSync(ROOT + name)]));
const readme = texts["README.md"]!;
const architecture = texts["ARCHITECTURE.md"]!;
/** Blocks of code that stand for a file: its path follows the language. */
const files = new Map(
  [...readme.matchAll(/^```\w+ (\S+)\n(.*?)^```$/gms)].map(([, path, code]) => [path!, code!]),
);

Deno.test("The automation in README works when it is pasted, from its sample to the chat", async () => {
  await using copy = await pastedCopy();
  const pasted = files.get(".env")!.trim().split("\n").map((line) => line.split("="));
  const env = {
    ...randomSettings(),
    ...Object.fromEntries(pasted),
    TELEGRAM_BOT_TOKEN: TOKEN,
    PORT: "0",
  };
  await using telegram = await fakeTelegram();
  await using database = await testDatabase();
  const start = async (task: ProgramTask, ready: RegExp, ...args: string[]) => {
    const file = copy.folder + (await readTask(task)).entry;
    const [, ...words] = await serviceCommand(task, { file, args, envFile: false });
    const given = { ...env, DATABASE_URL: database.url, TELEGRAM_API: telegram.url.href };
    return await startProcess({ name: task, args: words, env: given, ready });
  };
  await using receiver = await start("serve", /"listening"/);
  await using _worker = await start("work", /"started"/);
  const { port } = JSON.parse(await receiver.waitFor(/"listening"/));
  const url = `http://127.0.0.1:${port}`;
  const forged = await fetch(`${url}/hooks/payments`, { method: "POST", body: "{}" });
  await forged.body?.cancel();
  assertEquals(forged.status, 401);
  await using cli = await start("cli", /202/, "send", "payments", "--url", url);
  assertEquals(await cli.exit, 0);
  await until("the chat was told", () => telegram.messages.length > 0);
  const [message, ...more] = telegram.messages;
  assertEquals([message!.chatId, more], ["-1000000000001", []]);
  assert(message!.text.startsWith("Paid: order "), message!.text);
});

const SENDERS = { sh: "sh", mjs: "node", php: "php", py: "python3" };

for (const [ending, program] of Object.entries(SENDERS)) {
  const ignore = !await isInstalled(program);
  Deno.test({
    name: `The sender for ${program} in README signs what the site source believes`,
    ignore,
  }, async () => {
    const secret = "a secret with $, ' and é";
    await using app = await freshApp({
      sources: { site: site.create({ SITE_WEBHOOK_SECRET: [secret] }) },
      handlers: [siteForm],
    });
    const intake = createIntake(app, watchOutage(app, "receiver"));
    const handler = createHandler({ app, intake, proofs: watchProofs(app) });
    const server = serve(app, handler, { hostname: "127.0.0.1", port: 0 });
    await using folder = await tempFolder();
    const file = `${folder.path}/sender.${ending}`;
    await Deno.writeTextFile(file, files.get(`sender.${ending}`)!);
    const env = { SITE_WEBHOOK_SECRET: secret, HOOKWORK_URL: `http://127.0.0.1:${server.port}` };
    const output = await new Deno.Command(program, { args: [file], env, stdin: "null" }).output();
    await server.stop();
    const said = new TextDecoder().decode(output.stdout) + new TextDecoder().decode(output.stderr);
    assert(/\b202\b/.test(said), said);
    const events = await app.rows`select dedup_key, error from events`;
    assertEquals(events, [{ dedup_key: `form-${ending}`, error: null }]);
  });
}

Deno.test("The settings in README are those of the program: none of the core is missing, none is told wrong", () => {
  const groups = registrySettings(definitions).map(({ settings }) => settings);
  const all: Record<string, Setting<unknown>> = Object.assign({}, coreSettings, ...groups);
  const rows = tableUnder(readme, "Variable");
  const named = rows.map(([name]) => name!.replaceAll("`", ""));
  assertEquals(rows, named.map((name) => settingRow(name, all[name])));
  assertEquals(Object.keys(coreSettings).filter((name) => !named.includes(name)), []);
});

function settingRow(name: string, setting: Setting<unknown> | undefined): string[] {
  if (!setting) return [`\`${name}\``, "no such setting"];
  const isRequired = !setting.schema.safeParse(undefined).success;
  const standard = setting.example === "" ? "not set" : `\`${setting.example}\``;
  return [`\`${name}\``, isRequired ? "required" : standard, setting.about];
}

Deno.test("The commands in README are those of the program, with their options", () => {
  const host = {
    environment: {},
    columns: Infinity,
    now: () => new Date(0),
    write: () => {},
    writeError: () => {},
    confirm: () => undefined,
    interruptible: <T>(work: (signal: AbortSignal) => Promise<T>) =>
      work(new AbortController().signal),
  };
  const program = createProgram(host, () => {});
  assertEquals(tableUnder(readme, "Command"), leavesOf(program, "hookwork").map(commandRow));
});

function leavesOf(command: Command, path: string): [string, Command][] {
  const isWhole = command.commands.length === 0 || command.registeredArguments.length > 0;
  return [
    ...(isWhole ? [[path, command] as [string, Command]] : []),
    ...command.commands.flatMap((child) => leavesOf(child, `${path} ${child.name()}`)),
  ];
}

function commandRow([path, command]: [string, Command]): string[] {
  const parameters = command.registeredArguments.map((argument) =>
    argument.required ? ` <${argument.name()}>` : ` [${argument.name()}]`
  );
  const options = command.options.map(({ long }) => `\`${long}\``).join(", ");
  return [`\`${path}${parameters.join("")}\``, command.description(), options];
}

Deno.test("The dependencies in ARCHITECTURE are those of deno.json, no more and no fewer", async () => {
  const { imports } = JSON.parse(await Deno.readTextFile(`${ROOT}deno.json`));
  const named = tableUnder(architecture, "Package").map(([name]) => name!.replaceAll("`", ""));
  assertEquals(named.filter((name) => name in imports).toSorted(), Object.keys(imports).toSorted());
});

Deno.test("The pauses in ARCHITECTURE are those between the attempts of a job", () => {
  const rows = tableUnder(architecture, "After attempt");
  const pauses = rows.map(([attempt]) => backoffSeconds(Number(attempt), () => 0.5));
  assertEquals(rows.map(([_, pause]) => pause), pauses.map((seconds) => `${seconds} s`));
  const sum = pauses.reduce((total, pause) => total + pause, 0);
  assert(architecture.includes(`${sum.toLocaleString("en")} s in all`), `${sum} s`);
});

for (const [name, text] of Object.entries(texts)) {
  Deno.test(`${name} names no file, page or task that is not there`, async () => {
    const { tasks } = JSON.parse(await Deno.readTextFile(`${ROOT}deno.json`));
    const named = [...text.matchAll(/denow task (?:-q )?(\w+)/g)].map(([, task]) => task!);
    assertEquals(named.filter((task) => !(task in tasks)), []);
    const paths = [...text.matchAll(/`((?:lib|demo|tests|migrations|jsr)\/[\w./-]*)`/g)];
    const linked = linksOf(name);
    const missing = [...paths.map(([, path]) => path!), ...linked.map(({ path }) => path)]
      .filter((path) => !isThere(path) && !files.has(path));
    assertEquals(missing, []);
    assertEquals(linked.filter(({ path, anchor }) => !hasHeading(path, anchor)), []);
  });
}

Deno.test("The settings in docs/contract.md are all that contracts need, and no others than there are", () => {
  const [, block] = /^```dotenv\n(.*?)^```$/ms.exec(texts["docs/contract.md"]!)!;
  const pasted = parseEnv(block!) as Record<string, string>;
  const plain = Object.entries(randomSettings()).filter(([name]) =>
    !/^(AMOCRM|CONTRACT)_/.test(name)
  );
  const given = { ...Object.fromEntries(plain), DATABASE_URL: "postgres://127.0.0.1/x", ...pasted };
  const config = loadConfig(given, allSettings(definitionsInUse(given)));
  assertEquals(Object.keys(pasted).filter((name) => !(name in config)), []);
  assertEquals(sellerOf(settingsOf(config, sellerSettings)).name, pasted.CONTRACT_SELLER_NAME);
});

for (const pair of PAIRS) {
  Deno.test(`${pair.join(" and ")} have the same commands, settings and links, so that neither falls behind`, () => {
    const [english, russian] = pair.map((name) => ({
      blocks: blocksOf(texts[name]!).filter((block) => !block.startsWith("text\n")),
      rows: [...texts[name]!.matchAll(/^\| (`[^|]*`) +\|/gm)].map(([, cell]) => cell),
      code: codeOf(texts[name]!),
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
  const named = tableUnder(texts["docs/operate.md"]!, "Part").map(([part]) => part);
  const parts = (await examine(app)).map(({ part }) => `\`${part}\``);
  assertEquals(parts.filter((part) => !named.includes(part)), []);
});

Deno.test("The tests that docs/operate.md names are there, each in its file", () => {
  const plain = texts["docs/operate.md"]!.replaceAll(/\s+/g, " ");
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
function linksOf(name: string): { path: string; anchor: string | undefined }[] {
  const links = [...texts[name]!.matchAll(/\]\(([\w./-]*)(#[\p{L}\p{N}_-]+)?\)/gu)];
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
  const headings = [...(texts[document] ?? "").matchAll(/^#+ (.*)$/gm)];
  const slugs = headings.map(([, title]) =>
    title!.toLowerCase().replaceAll(/[^\p{L}\p{N}_\s-]/gu, "").replaceAll(" ", "-")
  );
  return slugs.includes(anchor.slice(1));
}

/** The cells of the table whose first title this is, without the titles. */
function tableUnder(text: string, title: string): string[][] {
  const lines = text.split("\n");
  const start = lines.findIndex((line) => line.startsWith(`| ${title} `));
  assert(start >= 0, `no table begins with "${title}"`);
  const rest = lines.slice(start + 2);
  const end = rest.findIndex((line) => !line.startsWith("|"));
  return rest.slice(0, end).map((line) => line.split("|").slice(1, -1).map((cell) => cell.trim()));
}

/** The program with README's files in it, type-checked. */
async function pastedCopy(): Promise<{ folder: string } & AsyncDisposable> {
  const temp = await tempFolder();
  const folder = `${temp.path}/`;
  const parts = ["lib", "main.ts", "worker.ts", "cli.ts", "deno.json", "deno.lock"];
  await run("cp", "-R", ...parts.map((part) => ROOT + part), folder);
  for (const path of ["lib/sources/payments.ts", "lib/handlers/payment_received.ts"]) {
    await Deno.writeTextFile(folder + path, files.get(path)!);
  }
  const registry = await Deno.readTextFile(`${folder}lib/registry.ts`);
  await Deno.writeTextFile(`${folder}lib/registry.ts`, registered(registry));
  await run(Deno.execPath(), "check", "--quiet", `${folder}lib/registry.ts`);
  return { folder, [Symbol.asyncDispose]: () => temp[Symbol.asyncDispose]() };
}

/**
 * The registry with what README adds to it. Only what is added counts: a registry that has grown since, or in which README
 * was followed already, is as good.
 */
function registered(registry: string): string {
  const added = [...files.get("lib/registry.ts")!.matchAll(/^\+(.*)$/gm)].map(([, line]) => line!);
  const imports = added.filter((line) => line.startsWith("import "));
  if (imports.every((line) => registry.includes(line))) return registry;
  const parts = imports.flatMap((line) => [...line.matchAll(/{ (\w+) } from ".\/(\w+)\//g)]);
  return parts.reduce(
    (text, [, name, list]) => text.replace(`${list}: [`, (begin) => `${begin}${name}, `),
    [...imports, registry].join("\n"),
  );
}

Deno.test("The change to the registry in README fits the registry as it is", async () => {
  const registry = (await Deno.readTextFile(`${ROOT}lib/registry.ts`)).split("\n");
  const diff = files.get("lib/registry.ts")!.trimEnd().split("\n");
  const isThere = (line: string) => registry.includes(line.slice(1));
  if (diff.filter((line) => line.startsWith("+import")).every(isThere)) return;
  assertEquals(diff.filter((line) => /^[ -]/.test(line) && !isThere(line)), []);
});

async function tempFolder(): Promise<{ path: string } & AsyncDisposable> {
  const path = await Deno.makeTempDir({ prefix: "hookwork-docs-" });
  return { path, [Symbol.asyncDispose]: () => Deno.remove(path, { recursive: true }) };
}

async function run(program: string, ...args: string[]): Promise<void> {
  const { success, stderr } = await new Deno.Command(program, { args }).output();
  assert(success, `${program} ${args[0]}\n${new TextDecoder().decode(stderr)}`);
}

async function isInstalled(program: string): Promise<boolean> {
  try {
    return (await new Deno.Command(program, { args: ["-c", ""] }).output()).code !== 127;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}
