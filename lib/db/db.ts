/**
 * The way to Postgres: a small pool, a deadline for each statement, and the meaning of its errors.
 * @module
 */
import postgres from "postgres";
import { inTime } from "../base/repeat.ts";
import type { Log } from "../contract.ts";

/** A pool or a transaction: what a statement is written with. */
export type Sql = postgres.ISql<Record<never, never>>;
/** A statement or a part of one, not yet sent. */
export type Fragment = postgres.PendingQuery<postgres.Row[]>;

/** Runs statements, each under a deadline. */
export interface Queries {
  readonly sql: Sql;
  /** Sends one statement and waits for its rows, at most until the deadline. */
  run<Rows extends readonly postgres.MaybeRow[]>(
    statement: postgres.PendingQuery<Rows>,
  ): Promise<postgres.RowList<Rows>>;
}

/** A process's pool. */
export interface Db extends Queries {
  /** The pool itself, for handlers and for LISTEN. It changes when `generation` does. */
  readonly sql: postgres.Sql;
  /** How often the pool had to be replaced. */
  readonly generation: number;
  /** Whether the process has given it up. */
  readonly closed: boolean;
  close(): Promise<void>;
}

/** How to connect. */
export interface ConnectOptions {
  readonly url: string;
  /** Shown by Postgres in `pg_stat_activity`. */
  readonly application: string;
  /** Connections at most. */
  readonly max: number;
  /** Through PgBouncer in transaction mode: no prepared statements, no startup parameters. */
  readonly pooler?: boolean;
  /** Whether each statement is planned once, and never to read a whole table: see PLAN_ONCE. */
  readonly planOnce?: boolean;
  /** Postgres ends a statement after this long. */
  readonly statementSeconds: number;
  readonly log?: Log;
}

/**
 * For statements that have one good plan, whatever they are given. To plan a claim takes longer than to carry it out. A plan that is
 * kept must not have been made for a table that was small at the time. Compiling it takes a second, which no such statement wins back.
 */
const PLAN_ONCE = { plan_cache_mode: "force_generic_plan", enable_seqscan: "off", jit: "off" };

/** How much longer than Postgres the client waits: whoever is silent beyond it is not there any more. */
const SILENCE_SECONDS = 2;

/** No answer came in time; whether the statement was carried out is not known. */
export class StatementDeadlineError extends Error {
  override name = "StatementDeadlineError";
}

/** Opens a pool. Connects when first used, and again after each loss, for ever. */
export function connect(options: ConnectOptions): Db {
  const deadlineMs = (options.statementSeconds + SILENCE_SECONDS) * 1000;
  let pool = openPool(options);
  let generation = 0;
  let closed = false;
  // A deadline that Postgres did not keep means a connection that died without a word (a firewall, a frozen host).
  // The driver would wait on it for as long as TCP does, so the whole pool is replaced.
  const replace = (dead: postgres.Sql) => {
    if (dead !== pool) return;
    pool = openPool(options);
    generation++;
    options.log?.warn("database connections were silent and are replaced", { generation });
    dead.end({ timeout: 0 }).catch(() => {});
  };
  return {
    get sql() {
      return pool;
    },
    get generation() {
      return generation;
    },
    get closed() {
      return closed;
    },
    async run(statement) {
      const used = pool;
      try {
        return await inTime(
          deadlineMs,
          statement,
          () => new StatementDeadlineError(`The database did not answer within ${deadlineMs} ms`),
        );
      } catch (error) {
        if (error instanceof StatementDeadlineError) replace(used);
        throw error;
      }
    },
    close() {
      closed = true;
      return pool.end({ timeout: 1 });
    },
  };
}

/** Runs statements on a transaction that the caller has begun. */
export function inTransaction(sql: Sql): Queries {
  return { sql, run: (statement) => Promise.resolve(statement) };
}

function openPool(options: ConnectOptions): postgres.Sql {
  const statement_timeout = options.statementSeconds * 1000;
  return postgres(options.url, {
    max: options.max,
    prepare: !options.pooler,
    // Saves a query at each connect, whose failure nothing could catch. Arrays go through arrayLiteral().
    fetch_types: false,
    connect_timeout: 2,
    // Seconds. Short, so that the first request after an outage is served.
    backoff: (retries: number) => Math.min(0.05 * 2 ** Math.min(retries, 5), 1),
    onnotice: () => {},
    connection: options.pooler ? { application_name: options.application } : {
      application_name: options.application,
      statement_timeout,
      ...options.planOnce ? PLAN_ONCE : {},
    },
  });
}

/** A Postgres array as text. The driver cannot build arrays itself with `fetch_types: false`. */
export function arrayLiteral(values: readonly (string | number | boolean | null)[]): string {
  return `{${values.map(arrayElement).join(",")}}`;
}

function arrayElement(value: string | number | boolean | null): string {
  if (value === null) return "NULL";
  if (typeof value !== "string") return String(value);
  return `"${value.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
}

/** The SQLSTATE of an error of Postgres, or the code of a failure of the connection. */
export function errorCode(error: unknown): string {
  return String((error as { code?: unknown } | null)?.code ?? "");
}

/** Whether the values are at fault, so that the same statement without them would succeed (classes 22, 23, 54). */
export function isDataError(error: unknown): boolean {
  return error instanceof postgres.PostgresError && /^(22|23|54)/.test(error.code);
}

/** Does it again, once, when Postgres chose it as the victim of a deadlock or of a conflict, or its plan was outdated. */
export async function onceMore<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!["40P01", "40001", "0A000"].includes(errorCode(error))) throw error;
    return await work();
  }
}
