/**
 * One connection for one long transaction: it is not replaced when it is lost, and its statements have no deadline.
 * @module
 */
import postgres from "postgres";
import type { Queries } from "./db.ts";

/** A connection of its own. */
export interface Session extends Queries {
  readonly sql: postgres.Sql;
  /** Ends the connection, and with it whatever is not committed. */
  close(): Promise<void>;
}

/** Opens a session. It connects by its first statement; `application` is shown in `pg_stat_activity`. */
export function openSession({ url, application }: { url: string; application: string }): Session {
  const sql: postgres.Sql = postgres(url, {
    max: 1,
    // As a pooler wants it, and none of these statements is repeated.
    prepare: false,
    fetch_types: false,
    connect_timeout: 10,
    // Else the driver ends each connection after 30 to 60 minutes, whatever it is in the middle of.
    max_lifetime: null,
    onnotice: () => {},
    connection: { application_name: application },
    // The driver would connect anew, and go on outside of the transaction.
    onclose: () => void sql.end({ timeout: 0 }),
  });
  return {
    sql,
    run: (statement) => Promise.resolve(statement),
    close: () => sql.end({ timeout: 1 }),
  };
}

/**
 * The settings of a long transaction, for the text that begins it. Roles, databases and poolers carry deadlines for statements
 * that this one must not have; what changes the text of values is set as the copies were made.
 */
export const LONG_TRANSACTION = `
  set local statement_timeout = 0;
  set local idle_in_transaction_session_timeout = 0;
  set local lock_timeout = '30s';
  set local datestyle = 'ISO';
  set local intervalstyle = 'postgres';
  set local timezone = 'UTC';
  set local bytea_output = 'hex';
  set local extra_float_digits = 1;
`;

/** A deadline of the whole transaction, which Postgres knows from version 17 on; older versions have none to lift. */
export async function liftTransactionDeadline({ sql }: Pick<Session, "sql">): Promise<void> {
  await sql`select set_config(name, '0', true) from pg_settings where name = 'transaction_timeout'`;
}

/** A name as SQL wants it. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
