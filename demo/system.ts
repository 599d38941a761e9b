/**
 * Everything at once: a database, a fake Telegram, a fake amoCRM, the receiver and two workers as real processes.
 * @module
 */
import type { ProgramTask } from "../deploy/programs.ts";
import { type Database, openDatabase } from "./database.ts";
import type { Amocrm } from "./fake_amocrm/server.ts";
import { type PrintService, startPrintService } from "./print_service.ts";
import { type Process, start } from "./process.ts";
import { accountSettings, startSampleAccount, subscribe } from "./sample_account.ts";
import { inheritedEnvironment, serviceCommand, type ServiceOptions } from "./service.ts";
import { type DemoSettings, randomSettings } from "./settings.ts";
import { createSite, type Site } from "./site.ts";
import { startTelegramApi, type TelegramApi } from "./telegram_api.ts";

/** How to start it. */
export interface SystemOptions {
  /** The demo's own environment: DATABASE_URL in it is used for a database of the demo's own. */
  readonly environment: Readonly<Record<string, string>>;
  /** Whether contracts are printed by a slow print service instead of pdfmake. */
  readonly slowPrinter: boolean;
  /** What the receiver listens on; any free one when 0. */
  readonly port: number;
  /** Gives what is told of each line that a program writes. */
  logOf(program: string): (line: string) => void;
}

/** What an ended command said. */
export interface CommandResult {
  readonly code: number;
  readonly output: string;
}

/** The running whole. Disposing of it stops every part and drops the database. */
export interface System extends AsyncDisposable {
  /** Of the receiver. */
  readonly address: string;
  /** The settings of its programs. */
  readonly settings: DemoSettings;
  readonly database: Database;
  readonly telegram: TelegramApi;
  readonly amocrm: Amocrm;
  readonly printer: PrintService;
  /** The folder of finished contracts. */
  readonly documents: string;
  readonly site: Site;
  /** Whoever ends it starts the next one. */
  readonly receiver: Process;
  /** Starts the next one, at the same address. */
  startReceiver(): Promise<void>;
  /** Two workers; whoever ends one takes it out. */
  readonly workers: Set<Process>;
  /** Starts one more. */
  startWorker(): Promise<void>;
  /** Runs the CLI to its end. */
  cli(...args: string[]): Promise<CommandResult>;
}

/** Short, so that the job of a killed worker is taken over soon. */
const LEASE_SECONDS = 3;
const PRINT_MS = 1000;

/** Starts it. Throws when a part does not start, after stopping the others. */
export async function startSystem(options: SystemOptions): Promise<System> {
  const { environment, port, logOf } = options;
  await using stack = new AsyncDisposableStack();
  const secrets = randomSettings();
  const given = environment.DATABASE_URL;
  const database = stack.use(await openDatabase({ given, log: logOf("postgres") }));
  const telegram = stack.use(await startTelegramApi({ token: secrets.TELEGRAM_BOT_TOKEN }));
  const amocrm = stack.use(await startSampleAccount());
  const printer = stack.use(await startPrintService({ delayMs: PRINT_MS }));
  const documents = stack.use(await documentsFolder()).path;
  const settings = {
    ...secrets,
    ...accountSettings(amocrm),
    AMOCRM_ACCESS_TOKEN: amocrm.token,
    CONTRACT_DIR: documents,
    ...options.slowPrinter ? { CONTRACT_PRINT_URL: printer.url.href } : {},
    DATABASE_URL: database.url,
    TELEGRAM_API: telegram.url.href,
    PORT: `${port}`,
    LEASE_SECONDS: `${LEASE_SECONDS}`,
    LOG_FORMAT: "text",
    LOG_LEVEL: "debug",
  };
  const env = { ...inheritedEnvironment(environment), ...settings, NO_COLOR: "1" };
  const run = async (name: string, task: ProgramTask, given: Partial<ServiceOptions> = {}) => {
    const command = await serviceCommand(task, { ...given, envFile: false });
    return start({ name, command, env, onLine: logOf(name) });
  };
  const flags = [`--allow-read=${documents}`, `--allow-write=${documents}`];
  let receiver = await run("receiver", "serve");
  stack.defer(async () => void await receiver.stop());
  const crew = stack.use(createCrew((number) => run(`worker ${number}`, "work", { flags })));
  const [address] = await Promise.all([
    addressOf(receiver),
    crew.startWorker(),
    crew.startWorker(),
  ]);
  await setWebhook(telegram, settings, `${address}/hooks/telegram`);
  subscribe(amocrm, address, settings.AMOCRM_WEBHOOK_SECRET);
  env.PORT = new URL(address).port;
  const held = stack.move();
  return {
    ...crew,
    address,
    settings: { ...settings, PORT: env.PORT },
    database,
    telegram,
    amocrm,
    printer,
    documents,
    site: createSite(`${address}/hooks/site`, settings.SITE_WEBHOOK_SECRET),
    get receiver() {
      return receiver;
    },
    async startReceiver() {
      receiver = await run("receiver", "serve");
      await addressOf(receiver);
    },
    async cli(...args) {
      const command = await run("cli", "cli", { args });
      return { code: await command.exit, output: command.lines.join("\n") };
    },
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  };
}

/** Made anew for each start, as the database is: a number on a file of yesterday would not be the one in the row of today. */
async function documentsFolder(): Promise<{ path: string } & AsyncDisposable> {
  const path = await Deno.makeTempDir({ prefix: "hookwork-demo-" });
  return { path, [Symbol.asyncDispose]: () => Deno.remove(path, { recursive: true }) };
}

type Crew = Pick<System, "workers" | "startWorker"> & AsyncDisposable;

/** The workers; those that run at the end are stopped together. */
function createCrew(run: (number: number) => Promise<Process>): Crew {
  const workers = new Set<Process>();
  let count = 0;
  return {
    workers,
    async startWorker() {
      const worker = await run(++count);
      workers.add(worker);
      await worker.said(/\] started\b/);
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(Array.from(workers, (worker) => worker.stop()));
    },
  };
}

async function addressOf(receiver: Process): Promise<string> {
  const [_, port] = await receiver.said(/listening .*port=(\d+)/);
  return `http://127.0.0.1:${port}`;
}

/** As `hookwork telegram set-webhook` does, but without https, on which only the real Telegram insists. */
async function setWebhook(telegram: TelegramApi, settings: DemoSettings, url: string) {
  const method = new URL(`/bot${settings.TELEGRAM_BOT_TOKEN}/setWebhook`, telegram.url);
  const body = JSON.stringify({ url, secret_token: settings.TELEGRAM_WEBHOOK_SECRET });
  const headers = { "content-type": "application/json" };
  const response = await fetch(method, { method: "POST", headers, body });
  await response.body?.cancel();
}
