/**
 * Hookwork on one machine for those who change it: the receiver and a worker start again when a file changes.
 * @module
 */
// deno-lint-ignore-file no-console -- the terminal is where this speaks
import { fileURLToPath } from "node:url";
import { describeError } from "../lib/base/errors.ts";
import { migrate } from "../lib/db/migrate.ts";
import { DEV_PORTS, isServedHere, readSettings, writeSettingsOnce } from "./dev_settings.ts";
import { startPostgres } from "./postgres.ts";
import { start } from "./process.ts";
import { serviceCommand } from "./service.ts";
import type { Settings } from "./settings.ts";
import { aborted, stopSignal } from "./stop.ts";
import { startTelegramApi, type TelegramApi } from "./telegram_api.ts";
import { createPrefixer } from "./terminal.ts";
import { watchMessages } from "./tour.ts";

const FOLDER = fileURLToPath(new URL("../.hookwork/dev", import.meta.url));
const PROGRAMS = { receiver: "main.ts", worker: "worker.ts" };
const FLAGS = ["--watch=.env", "--no-clear-screen"];
const STOPPED = /(\] |"message":")stopped\b/;
const HINT = `
Hookwork runs with the settings in .env. Ctrl-C ends everything. From another terminal:
  ./denow task cli send site
  ./denow task cli send telegram
  ./denow task cli status
`;

if (import.meta.main) {
  try {
    await main(Deno.env.toObject());
  } catch (error) {
    console.error(describeError(error));
    Deno.exit(1);
  }
  Deno.exit(0);
}

async function main(environment: Settings): Promise<void> {
  const stop = stopSignal();
  const logOf = createPrefixer({ color: Deno.stdout.isTerminal() && !Deno.noColor });
  await using stack = new AsyncDisposableStack();
  const given = await readSettings(environment);
  const databaseUrl = await useDatabase(stack, given.DATABASE_URL, logOf("postgres"));
  await writeSettingsOnce(databaseUrl);
  const telegram = await useTelegram(stack, await readSettings(environment));
  for (const [name, file] of Object.entries(PROGRAMS)) {
    const command = await serviceCommand(file, { flags: FLAGS, envFile: true });
    const env = { ...environment, DATABASE_URL: databaseUrl };
    stack.use(start({ name, command, env, onLine: logOf(name), lastLine: STOPPED }));
  }
  console.log(HINT);
  if (telegram) await watchMessages(telegram, logOf("telegram"), stop);
  else await aborted(stop);
}

/** Starts the embedded Postgres and brings it up to date, unless another one is given. Gives the URL to use. */
async function useDatabase(
  stack: AsyncDisposableStack,
  given: string | undefined,
  log: (line: string) => void,
): Promise<string> {
  if (given && !isServedHere(given, DEV_PORTS.postgres)) return given;
  const server = await startPostgres({ dir: FOLDER, port: DEV_PORTS.postgres, log });
  stack.defer(() => server.stop());
  if (given && given !== server.url) {
    throw new Error(
      "Cannot use DATABASE_URL: the database in .hookwork/dev was made anew and has another " +
        "password; take it from .hookwork/dev/password, or remove .env",
    );
  }
  await migrate({ url: server.url, log });
  return server.url;
}

/** Starts the fake Telegram, unless the settings name another one. */
async function useTelegram(
  stack: AsyncDisposableStack,
  { TELEGRAM_API: api, TELEGRAM_BOT_TOKEN: token = "" }: Settings,
): Promise<TelegramApi | undefined> {
  if (!isServedHere(api, DEV_PORTS.telegram)) return undefined;
  return stack.use(await startTelegramApi({ token, port: DEV_PORTS.telegram }));
}
