/**
 * Hookwork on one machine for those who change it: the receiver and a worker start again when a file changes.
 * @module
 */
// deno-lint-ignore-file no-console -- the terminal is where this speaks
import { fileURLToPath } from "node:url";
import { describeError } from "../lib/base/errors.ts";
import { migrate } from "../lib/db/migrate.ts";
import { DEV_PORTS, isServedHere, readSettings, writeSettingsOnce } from "./dev_settings.ts";
import type { Amocrm } from "./fake_amocrm/server.ts";
import { startPostgres } from "./postgres.ts";
import { start } from "./process.ts";
import { createDeal, freshId, STAGE, startSampleAccount, subscribe } from "./sample_account.ts";
import { serviceCommand } from "./service.ts";
import type { Settings } from "./settings.ts";
import { aborted, stopSignal } from "./stop.ts";
import { startTelegramApi, type TelegramApi } from "./telegram_api.ts";
import { createPrefixer } from "./terminal.ts";
import { drag, watchMessages, watchNotes } from "./tour.ts";

const FOLDER = fileURLToPath(new URL("../.hookwork/dev", import.meta.url));
const PROGRAMS = { receiver: "serve", worker: "work" } as const;
const FLAGS = ["--watch=.env", "--no-clear-screen"];
/** A webhook that finds no receiver, since that starts anew, comes again after three seconds instead of five minutes. */
const AMOCRM_TIME_SCALE = 0.01;
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
  const settings = await readSettings(environment);
  const telegram = await useTelegram(stack, settings);
  const amocrm = await useAmocrm(stack, settings);
  for (const [name, task] of Object.entries(PROGRAMS)) {
    const command = await serviceCommand(task, { flags: FLAGS, envFile: true });
    const env = { ...environment, DATABASE_URL: databaseUrl };
    stack.use(start({ name, command, env, onLine: logOf(name), lastLine: STOPPED }));
  }
  console.log(HINT + (amocrm ? hintOf(amocrm) : ""));
  await Promise.all([
    telegram && watchMessages(telegram, logOf("telegram"), stop),
    amocrm && watchNotes(amocrm, logOf("amocrm"), stop),
    aborted(stop),
  ]);
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

/** Starts the fake amoCRM, unless the settings name another one or none. */
async function useAmocrm(
  stack: AsyncDisposableStack,
  settings: Settings,
): Promise<Amocrm | undefined> {
  const { AMOCRM_URL: url, AMOCRM_ACCESS_TOKEN: token, AMOCRM_WEBHOOK_SECRET: secrets = "" } =
    settings;
  if (!isServedHere(url, DEV_PORTS.amocrm)) return undefined;
  const options = {
    port: DEV_PORTS.amocrm,
    firstId: freshId(),
    timeScale: AMOCRM_TIME_SCALE,
    token,
  };
  const amocrm = stack.use(await startSampleAccount(options));
  const [secret] = secrets.split(",");
  subscribe(amocrm, `http://127.0.0.1:${settings.PORT ?? "8080"}`, secret!);
  return amocrm;
}

function hintOf(amocrm: Amocrm): string {
  const deal = createDeal(amocrm).id;
  return `A deal, dragged to the stage of contracts and back; what came of it:
  ${drag(amocrm, deal, STAGE.contract)}
  ${drag(amocrm, deal, STAGE.new)}
  ./denow task cli contract ${deal}
`;
}
