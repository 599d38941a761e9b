/**
 * Opens what a command needs, and closes it when the command is over: one connection at most.
 * @module
 */
import type { App } from "../app.ts";
import { loadConfig, secretValues, settingsOf } from "../base/config.ts";
import { inTime } from "../base/repeat.ts";
import { createLog } from "../base/log.ts";
import { createRedactor } from "../base/text.ts";
import type { Outside } from "../base/outside.ts";
import { connect, type Db, type Queries, StatementDeadlineError } from "../db/db.ts";
import { check } from "../outside/check.ts";
import { call } from "../outside/http.ts";
import { noLanes } from "../outside/lanes.ts";
import { type TelegramSetup, telegramSetup } from "../outside/telegram_setup.ts";
import { allSettings } from "../registry.ts";
import { wire } from "../wire.ts";
import type { Host } from "./host.ts";

const APPLICATION = "hookwork-cli";
const CONNECTIONS = 1;
const STATEMENT_SECONDS = 30;
/** How long the database may take for its first sign of life: more than the 2 s for connecting. */
export const CONTACT_MS = 3000;

type Environment = Pick<Host, "environment">;

/** Takes the secrets of an environment out of a text, also when it is unfit to start with. */
export function redactorOf({ environment }: Environment): (text: string) => string {
  return createRedactor(secretValues(environment, allSettings()));
}

/** Lends a connection. Needs the core settings only, so it works where a source's secret is unknown. */
export async function withDatabase<T>(
  { environment }: Environment,
  work: (db: Db) => Promise<T>,
): Promise<T> {
  const config = loadConfig(environment);
  const db = connect({
    url: config.DATABASE_URL,
    application: APPLICATION,
    max: CONNECTIONS,
    pooler: config.DB_POOLER,
    statementSeconds: STATEMENT_SECONDS,
  });
  try {
    await contact(db);
    return await work(db);
  } finally {
    await db.close();
  }
}

/**
 * Waits for the first sign of life. Throws StatementDeadlineError when there is none in time: the driver
 * itself tries for ever where something accepts connections and closes them, as a proxy without Postgres does.
 */
export async function contact(db: Queries): Promise<void> {
  await inTime(
    CONTACT_MS,
    db.run(db.sql`select 1`),
    () => new StatementDeadlineError(`no answer within ${CONTACT_MS} ms`),
  );
}

/** Lends an App with all sources and handlers. Throws a ConfigError when any of them misses a setting. */
export async function withApp<T>(
  { environment }: Environment,
  work: (app: App) => Promise<T>,
): Promise<T> {
  const app = wire(environment, {
    application: APPLICATION,
    connections: CONNECTIONS,
    statementSeconds: STATEMENT_SECONDS,
  });
  try {
    return await work(app);
  } finally {
    await app.db.close();
  }
}

/** The bot of TELEGRAM_BOT_TOKEN. Nothing else is asked for: it is there to find out the rest. */
export function openBot(host: Environment): TelegramSetup {
  const { settings } = telegramSetup;
  const config = loadConfig(host.environment, settings);
  const log = createLog({
    format: config.LOG_FORMAT,
    level: config.LOG_LEVEL,
    redact: redactorOf(host),
  });
  const { signal } = new AbortController();
  return telegramSetup.create(settingsOf(config, settings), {
    signal,
    log,
    shadow: false,
    lanes: noLanes,
    get sql(): never {
      throw new Error("Cannot use the database for a bot: its commands work without one");
    },
  });
}

/** The outside as a command uses it that needs no job: for print services and stores of contracts. */
export function openOutside(signal = new AbortController().signal): Outside {
  return {
    call(request) {
      // Not as an error of the other side, at which some try again.
      signal.throwIfAborted();
      return call({ signal, shadow: false, ...request });
    },
    check,
  };
}
