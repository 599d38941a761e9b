/** The documents say what is so: the code in README runs, and tables are the program's. See also `docs_pages_test.ts`. */

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
import { createIntake } from "../lib/flow/intake.ts";
import { watchOutage } from "../lib/flow/outage.ts";
import { watchProofs } from "../lib/flow/proofs.ts";
import { siteForm } from "../lib/handlers/site_form.ts";
import { allSettings, definitionsInUse } from "../lib/registry.ts";
import { site } from "../lib/sources/site.ts";
import { createHandler } from "../lib/web/routes.ts";
import { serve } from "../lib/web/server.ts";
import { fakeTelegram, TOKEN } from "./outside/support.ts";
import { freshApp } from "./support/app.ts";
import { testDatabase } from "./support/database.ts";
import { pastedFiles as files, ROOT, tableUnder, texts } from "./support/documents.ts";
import { startProcess } from "./support/process.ts";
import { until } from "./support/until.ts";

const { "README.md": readme, "ARCHITECTURE.md": architecture } = texts;

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
  const all: Record<string, Setting<unknown>> = allSettings();
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
const commands = leavesOf(createProgram(host, () => {}), "hookwork");

Deno.test("The commands in README are those of the program, with their options", () => {
  assertEquals(tableUnder(readme, "Command"), commands.map(commandRow));
});

Deno.test("Every command and option that a document names is one of the program", () => {
  const uses = Object.entries(texts).flatMap(([name, text]) =>
    [...text.matchAll(/(?:^ *|`|sudo |app )(hookwork [a-z][^`\n]*)/gm)]
      .map(([, line]) => ({ name, line: line! }))
  );
  assert(uses.length > 0);
  assertEquals(uses.filter(({ line }) => !isCommand(line)), []);
});

/** Whether a line begins with a command of the program, and has only options of that. */
function isCommand(line: string): boolean {
  const [found] = commands.filter(([path]) => `${line} `.startsWith(`${path} `))
    .toSorted(([one], [other]) => other.length - one.length);
  if (found === undefined) return false;
  const options = ["--json", ...found[1].options.map(({ long }) => long)];
  return [...line.matchAll(/ (--[a-z-]+)/g)].every(([, option]) => options.includes(option!));
}

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

Deno.test("The settings in docs/contract.md are all that contracts need, and no others than there are", () => {
  const [, block] = /^```dotenv\n(.*?)^```$/ms.exec(texts["docs/contract.md"])!;
  const pasted = parseEnv(block!) as Record<string, string>;
  const plain = Object.entries(randomSettings()).filter(([name]) =>
    !/^(AMOCRM|CONTRACT)_/.test(name)
  );
  const given = { ...Object.fromEntries(plain), DATABASE_URL: "postgres://127.0.0.1/x", ...pasted };
  const config = loadConfig(given, allSettings(definitionsInUse(given)));
  assertEquals(Object.keys(pasted).filter((name) => !(name in config)), []);
  assertEquals(sellerOf(settingsOf(config, sellerSettings)).name, pasted.CONTRACT_SELLER_NAME);
});

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
