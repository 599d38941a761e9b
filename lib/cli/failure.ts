/**
 * What an error means to the person at the terminal: a text and an exit code.
 * @module
 */
import postgres from "postgres";
import {
  ConfigError,
  describeError,
  OutcomeUnknownError,
  PermanentError,
  RefusedError,
  TemporaryError,
} from "../base/errors.ts";
import { errorCode, StatementDeadlineError } from "../db/db.ts";

/** How the program ends. */
export const ExitCode = {
  done: 0,
  /** Refused or failed. */
  failed: 1,
  /** The command line is not understood. */
  usage: 2,
  /** EX_CONFIG of sysexits.h. */
  configuration: 78,
} as const;
/** One of the codes with which the program ends. */
export type ExitCode = typeof ExitCode[keyof typeof ExitCode];

/** What is left to say of a command that failed. */
export interface Failure {
  readonly text: string;
  readonly exitCode: ExitCode;
}

/** Explains an error. Only one that nobody foresaw comes with its stack. */
export function explainFailure(error: unknown): Failure {
  if (error instanceof ConfigError) {
    return { text: error.message, exitCode: ExitCode.configuration };
  }
  return { text: describeFailure(error), exitCode: ExitCode.failed };
}

const FORESEEN = [RefusedError, PermanentError, TemporaryError, OutcomeUnknownError];
/** Undefined table or column: SQLSTATE 42P01 and 42703. */
const OTHER_SCHEMA = new Set(["42P01", "42703"]);
/** The SQLSTATE classes of a server that cannot be used: connection, login, name, resources, shutdown. */
const AWAY_CLASS = /^(08|28|3D|53|57)/;
/** The driver's own codes, and those of the system's network calls. */
const AWAY_CODE = /^(CONNECT|E(CONN|HOST|NET|TIMEDOUT|PIPE|NOTFOUND|AI_))/;

function describeFailure(error: unknown): string {
  const code = errorCode(error);
  if (OTHER_SCHEMA.has(code)) {
    return "Cannot use the database: its tables are not those of this version; run `hookwork migrate`";
  }
  if (isAway(error, code)) {
    // The network's errors for a name with several addresses have no message.
    const why = (error as Error).message || code;
    return `Cannot use the database: ${why}; see DATABASE_URL and whether Postgres runs`;
  }
  if (error instanceof postgres.PostgresError) {
    return `Cannot finish: Postgres answered "${error.message}"; look its SQLSTATE ${code} up`;
  }
  if (FORESEEN.some((known) => error instanceof known)) return describeError(error);
  return `Cannot go on, which nobody foresaw: ${(error as Error)?.stack ?? String(error)}`;
}

function isAway(error: unknown, code: string): boolean {
  const known = error instanceof postgres.PostgresError ? AWAY_CLASS : AWAY_CODE;
  return error instanceof StatementDeadlineError || known.test(code);
}
