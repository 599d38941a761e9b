/**
 * A hold on the row of a contract: whoever wants to write to it stands there.
 * @module
 */
import type { System } from "../system.ts";
import { until } from "../until.ts";

/** A row that nobody else can write to. */
export interface RowHold {
  /** Resolves when somebody stands there. */
  reached(): Promise<void>;
  /** Lets the row go; the statements that stood there come to nothing. */
  cutOff(): Promise<void>;
}

/** Holds the row of a deal's contract, which must be there. */
export async function holdRow({ database: { sql } }: System, deal: number): Promise<RowHold> {
  const held = await sql.reserve();
  await held`begin`;
  await held`select from contract_documents where lead_id = ${`${deal}`}::bigint for update`;
  const [own] = await held`select pg_backend_pid() as pid`;
  const waiting = () =>
    sql<{ pid: number }[]>`
      select pid from pg_stat_activity where ${own!.pid}::integer = any(pg_blocking_pids(pid))
    `;
  return {
    async reached() {
      await until("somebody writes to the row", waiting, (pids) => pids.length > 0);
    },
    async cutOff() {
      for (const { pid } of await waiting()) {
        await sql`select pg_terminate_backend(${pid}::integer)`;
      }
      await held`rollback`;
      held.release();
    },
  };
}
