/** A lock on a table, at which whoever writes to it has to wait: so a test stops a process at one of its statements. */

import type { TestDatabase } from "./database.ts";
import { until } from "./until.ts";

/** A table that can only be read. */
export interface TableLock {
  /** Resolves when a statement waits for the table. */
  blocked(): Promise<void>;
  /** Ends the connections of all who wait, so that their statements come to nothing. */
  cutOff(): Promise<void>;
  /** Lets the statements that wait take effect, whether or not the process behind them is still there. */
  release(): Promise<void>;
}

/** Locks a table against writing. */
export async function lockTable({ sql }: TestDatabase, table: string): Promise<TableLock> {
  const held = await sql.reserve();
  await held`begin`;
  await held`lock table ${held(table)} in share row exclusive mode`;
  const waiting = () =>
    sql`
    select pid from pg_locks
    where not granted and relation = ${table}::regclass
      and database = (select oid from pg_database where datname = current_database())
  `;
  return {
    blocked: () => until(`somebody writes to ${table}`, async () => (await waiting()).length > 0),
    async cutOff() {
      for (const { pid } of await waiting()) await sql`select pg_terminate_backend(${pid})`;
    },
    async release() {
      await held`commit`;
      held.release();
    },
  };
}
