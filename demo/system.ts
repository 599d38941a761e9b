/**
 * Everything at once: a database, a fake Telegram, the receiver and two workers as real processes.
 * @module
 */
import { type Database, openDatabase } from "./database.ts";
import { type Process, start } from "./process.ts";
import { inheritedEnvironment, serviceCommand } from "./service.ts";
import { type DemoSettings, randomSettings } from "./settings.ts";
import { createSite, type Site } from "./site.ts";
import { startTelegramApi, type TelegramApi } from "./telegram_api.ts";

/** How to start it. */
export interface SystemOptions {
  /** The demo's own environment: DATABASE_URL in it is used for a database of the demo's own. */
  readonly environment: Readonly<Record<string, string>>;
  /** What the receiver listens on; any free one when 0. */
  readonly port: number;
  /** Told of each line that a program writes. */
  onLine?(program: string, line: string): void;
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
  readonly settings: DemoSettings;
  readonly database: Database;
  readonly telegram: TelegramApi;
  readonly site: Site;
  readonly receiver: Process;
  /** The workers that run; whoever ends one starts another. */
  readonly workers: Set<Process>;
  startWorker(): Promise<Process>;
  /** Runs the CLI to its end. */
  cli(...args: string[]): Promise<CommandResult>;
}

const WORKERS = 2;
/** Short, so that the job of a killed worker is taken over soon. */
const LEASE_SECONDS = 3;

/** Starts it. Throws when a part does not start, after stopping the others. */
export async function startSystem(options: SystemOptions): Promise<System> {
  const { environment, port, onLine } = options;
  await using stack = new AsyncDisposableStack();
  const settings = randomSettings();
  const say = (program: string) => (line: string) => onLine?.(program, line);
  const database = stack.use(
    await openDatabase({ given: environment.DATABASE_URL, log: say("postgres") }),
  );
  const telegram = stack.use(await startTelegramApi({ token: settings.TELEGRAM_BOT_TOKEN }));
  const env = {
    ...inheritedEnvironment(environment),
    ...settings,
    DATABASE_URL: database.url,
    TELEGRAM_API: telegram.url.href,
    PORT: `${port}`,
    LEASE_SECONDS: `${LEASE_SECONDS}`,
    LOG_FORMAT: "text",
    LOG_LEVEL: "debug",
    NO_COLOR: "1",
  };
  const run = async (name: string, file: string, args: string[] = []) =>
    start({
      name,
      command: await serviceCommand(file, { args, envFile: false }),
      env,
      onLine: say(name),
    });

  const receiver = stack.use(await run("receiver", "main.ts"));
  const workers = stack.adopt(new Set<Process>(), stopAll);
  let workerCount = 0;
  const startWorker = async () => {
    const worker = await run(`worker ${++workerCount}`, "worker.ts");
    workers.add(worker);
    await worker.said(/\] started\b/);
    return worker;
  };
  const [address] = await Promise.all([
    addressOf(receiver),
    ...Array.from({ length: WORKERS }, startWorker),
  ]);
  await setWebhook(telegram, settings, `${address}/hooks/telegram`);
  const held = stack.move();
  return {
    address,
    settings,
    database,
    telegram,
    site: createSite(`${address}/hooks/site`, settings.SITE_WEBHOOK_SECRET),
    receiver,
    workers,
    startWorker,
    async cli(...args) {
      const command = await run("cli", "cli.ts", args);
      return { code: await command.exit, output: command.lines.join("\n") };
    },
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  };
}

async function addressOf(receiver: Process): Promise<string> {
  const [_, port] = await receiver.said(/listening .*port=(\d+)/);
  return `http://127.0.0.1:${port}`;
}

async function stopAll(processes: Iterable<Process>): Promise<void> {
  await Promise.all([...processes].map((process) => process.stop()));
}

/** As `hookwork telegram set-webhook` does, but without https, which only the real Telegram demands. */
async function setWebhook(telegram: TelegramApi, settings: DemoSettings, url: string) {
  const method = new URL(`/bot${settings.TELEGRAM_BOT_TOKEN}/setWebhook`, telegram.url);
  const body = JSON.stringify({ url, secret_token: settings.TELEGRAM_WEBHOOK_SECRET });
  const headers = { "content-type": "application/json" };
  const response = await fetch(method, { method: "POST", headers, body });
  await response.body?.cancel();
}
