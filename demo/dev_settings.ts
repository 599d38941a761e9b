/**
 * The settings of `dev`: those in `.env`, which is written once with all that a first start needs.
 * @module
 */
import { parseEnv } from "node:util";
import { exampleEnvironment } from "../lib/registry.ts";
import { ACCOUNT } from "./fake_amocrm/server.ts";
import { accountSettings } from "./sample_account.ts";
import { randomHex, randomSettings, type Settings } from "./settings.ts";

/** Fixed, so that what is written in `.env` stays true; below those that systems lend to outgoing connections. */
export const DEV_PORTS = { postgres: 25432, telegram: 25433, amocrm: 25434 };

const ENV_FILE = new URL("../.env", import.meta.url);
const HEADER = `\
# Written by \`./denow task dev\`, with random secrets. It is not written again: change what you like.
#
# The bot is a fake one. For a real one, put its token from @BotFather into TELEGRAM_BOT_TOKEN, set
# TELEGRAM_API=https://api.telegram.org, write to the bot, and find the id for TELEGRAM_ALERT_CHAT_ID
# by \`./denow task cli telegram chats\`.
#
# The amoCRM account is a fake one as well. For a real one, change what begins with AMOCRM_; without
# contracts, take AMOCRM_ACCOUNT and all of the parts "only with AMOCRM_ACCOUNT" out.
#
# The database is started by \`dev\`. For another one, set DATABASE_URL and run \`./denow task migrate\`.

`;

/** The settings that services get: those of the environment, then those of `.env`, if it is there. */
export async function readSettings(environment: Settings): Promise<Settings> {
  const written = await readEnvFile();
  return { ...parseEnv(written) as Settings, ...environment };
}

async function readEnvFile(): Promise<string> {
  try {
    return await Deno.readTextFile(ENV_FILE);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return "";
    throw error;
  }
}

/** Writes `.env`, for its owner's eyes only, unless there is one. */
export async function writeSettingsOnce(databaseUrl: string, file = ENV_FILE): Promise<void> {
  const values = {
    ...randomSettings(),
    ...accountSettings({
      account: ACCOUNT,
      url: new URL(`http://127.0.0.1:${DEV_PORTS.amocrm}`),
    }),
    AMOCRM_ACCESS_TOKEN: randomHex(),
    DATABASE_URL: databaseUrl,
    TELEGRAM_API: `http://127.0.0.1:${DEV_PORTS.telegram}`,
    LOG_FORMAT: "text",
    LOG_LEVEL: "debug",
  };
  try {
    const text = HEADER + fillExample(values);
    await Deno.writeTextFile(file, text, { createNew: true, mode: 0o600 });
  } catch (error) {
    if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
  }
}

function fillExample(values: Settings): string {
  return exampleEnvironment().replaceAll(
    /^#?(\w+)=.*$/gm,
    (line, name) => name in values ? `${name}=${quoted(values[name]!)}` : line,
  );
}

/** A text with spaces is not read whole by everything that reads such files. */
function quoted(value: string): string {
  return /\s/.test(value) ? `"${value}"` : value;
}

/** Whether an address is one that `dev` itself serves. */
export function isServedHere(address: string | undefined, port: number): boolean {
  return URL.parse(address ?? "")?.host === `127.0.0.1:${port}`;
}
