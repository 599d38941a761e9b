/**
 * Puts a process's parts together from its environment: the only place where all of them meet.
 * @module
 */
import type { App } from "./app.ts";
import { loadConfig, secretValues, settingsOf } from "./base/config.ts";
import { ConfigError } from "./base/errors.ts";
import { createLog } from "./base/log.ts";
import { createRedactor } from "./base/text.ts";
import { connect } from "./db/db.ts";
import { noLanes } from "./outside/lanes.ts";
import { telegram } from "./outside/telegram.ts";
import { allSettings, definitionsInUse, halfSetUp, openRegistry } from "./registry.ts";

/** One claim and two statements of endings are under way at once. */
const QUEUE_CONNECTIONS = 3;

/** What differs between the processes. */
export interface ProcessOptions {
  /** The name under which Postgres and the log know the process. */
  readonly application: string;
  /** Connections at most: receiver 4, worker 4, CLI 1. */
  readonly connections: number;
  readonly statementSeconds: number;
}

/** Makes the App of a process. Throws a ConfigError with every problem of the environment. */
export function wire(environment: Readonly<Record<string, string>>, options: ProcessOptions): App {
  const problems = halfSetUp(environment);
  if (problems.length > 0) throw new ConfigError(problems);
  const inUse = definitionsInUse(environment);
  const config = loadConfig(environment, allSettings(inUse));
  const redact = createRedactor(secretValues(environment, allSettings()));
  const log = createLog({ format: config.LOG_FORMAT, level: config.LOG_LEVEL, redact })
    .with({ process: options.application });
  const connection = {
    url: config.DATABASE_URL,
    max: options.connections,
    pooler: config.DB_POOLER,
    statementSeconds: options.statementSeconds,
    log,
  };
  const db = connect({ ...connection, application: options.application });
  // These connect when they are first used.
  const queueDb = connect({
    ...connection,
    application: `${options.application}-queue`,
    max: QUEUE_CONNECTIONS,
    planOnce: true,
  });
  const handlerDb = connect({ ...connection, application: `${options.application}-handlers` });
  // Alerts belong to no job: their calls end by their own deadline, no shadow falls on them, and no lane holds them.
  const context = {
    signal: new AbortController().signal,
    log,
    shadow: false,
    lanes: noLanes,
    sql: handlerDb.sql,
  };
  const alerts = telegram.create(settingsOf(config, telegram.settings), context);
  const registry = openRegistry(config, inUse);
  return { config, registry, db, queueDb, handlerDb, log, redact, alerts };
}
