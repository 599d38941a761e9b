/**
 * Puts a process's parts together from its environment: the only place where all of them meet.
 * @module
 */
import type { App } from "./app.ts";
import {
  coreSettings,
  loadConfig,
  mergeSettings,
  secretValues,
  settingsOf,
} from "./base/config.ts";
import { createLog } from "./base/log.ts";
import { createRedactor } from "./base/text.ts";
import { connect } from "./db/db.ts";
import { telegram } from "./outside/telegram.ts";
import { definitions, openRegistry, registrySettings } from "./registry.ts";

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
  const settings = mergeSettings(
    coreSettings,
    ...registrySettings(definitions).map((group) => group.settings),
  );
  const config = loadConfig(environment, settings);
  const redact = createRedactor(secretValues(environment, settings));
  const log = createLog({ format: config.LOG_FORMAT, level: config.LOG_LEVEL, redact })
    .with({ process: options.application });
  const db = connect({
    url: config.DATABASE_URL,
    application: options.application,
    max: options.connections,
    pooler: config.DB_POOLER,
    statementSeconds: options.statementSeconds,
    log,
  });
  // Alerts belong to no job: their calls end by their own deadline.
  const signal = new AbortController().signal;
  const alerts = telegram.create(settingsOf(config, telegram.settings), { signal, log });
  return { config, registry: openRegistry(config, definitions), db, log, redact, alerts };
}
