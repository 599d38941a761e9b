/** An App for tests: a real database, the handlers of the test, and ears for what is logged and alerted. */

import { loadConfig } from "../../lib/base/config.ts";
import type { App } from "../../lib/app.ts";
import type { AlertOutcome, AnyHandler, Log, Schedule, Source } from "../../lib/contract.ts";
import { connect, type ConnectOptions } from "../../lib/db/db.ts";
import { testDatabase } from "./database.ts";

/** What a test may choose. */
export interface TestAppOptions {
  readonly url: string;
  readonly env?: Record<string, string>;
  readonly handlers?: readonly AnyHandler[];
  readonly sources?: Record<string, Source>;
  readonly schedules?: readonly Schedule[];
  readonly connection?: Partial<ConnectOptions>;
  /** Answers an alert; "sent" when absent. */
  readonly alert?: (text: string) => AlertOutcome | Promise<AlertOutcome>;
}

/** One line of log. */
export interface LogLine {
  readonly level: string;
  readonly message: string;
  readonly properties: Record<string, unknown>;
}

/** One row of a statement of the test. */
// deno-lint-ignore no-explicit-any -- a test knows what it selects
export type Row = Record<string, any>;

/** An App that can be looked into. */
export interface TestApp extends App, AsyncDisposable {
  readonly lines: LogLine[];
  /** The texts of the alerts, sent or not. */
  readonly told: string[];
  /** Runs a statement of the test; gives its rows as plain objects. */
  rows(sql: TemplateStringsArray, ...values: (string | number)[]): Promise<Row[]>;
}

/** Makes an App; `await using app = testApp({ url: db.url })` closes its pool at the end. */
export function testApp(options: TestAppOptions): TestApp {
  const lines: LogLine[] = [];
  const told: string[] = [];
  const open = (application: string, planOnce = false) =>
    connect({
      url: options.url,
      application,
      max: 4,
      planOnce,
      statementSeconds: 10,
      ...options.connection,
    });
  const db = open("hookwork-test");
  const queueDb = open("hookwork-test-queue", true);
  const handlerDb = open("hookwork-test-handlers");
  return {
    config: loadConfig({ DATABASE_URL: options.url, ...options.env }),
    db,
    queueDb,
    handlerDb,
    registry: {
      sources: new Map(Object.entries(options.sources ?? {})),
      handlers: new Map((options.handlers ?? []).map((handler) => [handler.kind, handler])),
      schedules: options.schedules ?? [],
    },
    log: memoryLog(lines),
    redact: (text) => text.replaceAll("s3cret", "***"),
    alerts: {
      alert: async (text) => {
        told.push(text);
        return await options.alert?.(text) ?? { is: "sent" };
      },
    },
    lines,
    told,
    rows: async (sql, ...values) => [...await db.sql(sql, ...values)].map((row) => ({ ...row })),
    [Symbol.asyncDispose]: async () =>
      void await Promise.all([db.close(), queueDb.close(), handlerDb.close()]),
  };
}

/** Makes an App on a database of its own, which is dropped at the end. */
export async function freshApp(options: Omit<TestAppOptions, "url"> = {}): Promise<TestApp> {
  const database = await testDatabase();
  const app = testApp({ ...options, url: database.url });
  return {
    ...app,
    async [Symbol.asyncDispose]() {
      await app[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
    },
  };
}

/** Opens so many connections of the pool, so that what a test does in parallel is parallel in the database too. */
export async function warmUp(app: TestApp, connections: number): Promise<void> {
  await Promise.all(Array.from({ length: connections }, () => app.rows`select pg_sleep(0.1)`));
}

function memoryLog(lines: LogLine[], always: Record<string, unknown> = {}): Log {
  const write = (level: string) => (message: string, properties: Record<string, unknown> = {}) =>
    void lines.push({ level, message, properties: { ...always, ...properties } });
  return {
    debug: write("debug"),
    info: write("info"),
    warn: write("warn"),
    error: write("error"),
    with: (properties) => memoryLog(lines, { ...always, ...properties }),
  };
}
