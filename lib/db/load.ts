/**
 * Writes the rows of tables into a database that has none, in one transaction.
 * @module
 */
import { finished } from "node:stream/promises";
import { RefusedError } from "../base/errors.ts";
import { listTables, type SequenceState, type TableShape } from "./dump.ts";
import { liftTransactionDeadline, LONG_TRANSACTION, quoted, type Session } from "./session.ts";

/** What migrations have written, and what receivers and workers write as soon as they are started: nothing is lost with it. */
const OF_NO_ACCOUNT = ["backups", "retention", "schedules", "source_watch"];

/** The rows of a table. */
export interface RowCount {
  readonly table: string;
  readonly rows: number;
}

/** The tables that hold anything that somebody could miss. */
export async function listFilledTables(session: Pick<Session, "sql">): Promise<RowCount[]> {
  const tables = (await listTables(session)).filter((name) => !OF_NO_ACCOUNT.includes(name));
  const counts: RowCount[] = [];
  for (const table of tables) {
    const rows = await countRows(session, table);
    if (rows > 0) counts.push({ table, rows });
  }
  return counts;
}

/** How many rows a table has. */
export async function countRows({ sql }: Pick<Session, "sql">, table: string): Promise<number> {
  const [row] = await sql<{ rows: number }[]>`
    select count(*)::float8 as rows from ${sql(table)}
  `;
  return row!.rows;
}

/** The migrations that were applied; none when there is no table of them. */
export async function listAppliedMigrations({ sql }: Session): Promise<string[]> {
  const [table] = await sql<{ exists: boolean }[]>`
    select to_regclass('migrations') is not null as exists
  `;
  if (!table!.exists) return [];
  return (await sql<{ name: string }[]>`select name from migrations order by name`)
    .map(({ name }) => name);
}

/**
 * Begins the transaction, and locks the tables: whoever would read or write them waits for its end. What is of
 * no account goes. Throws RefusedError when a table has rows after all.
 */
export async function beginLoad(session: Session): Promise<void> {
  const { sql } = session;
  const tables = (await listTables(session)).map(quoted).join(", ");
  await sql.unsafe(`begin; ${LONG_TRANSACTION} lock table ${tables} in access exclusive mode`);
  await liftTransactionDeadline(session);
  const [filled] = await listFilledTables(session);
  if (filled) {
    throw new RefusedError(
      `Cannot restore: ${filled.table} has ${filled.rows} row(s) that came meanwhile; stop all processes, make the database anew, and run it again`,
    );
  }
  await sql.unsafe(`truncate ${tables}`);
}

/**
 * Writes rows, as `copyOut` gives them. Throws RefusedError when Postgres does not take them, and what it says of them if it says
 * that early enough: the driver forgets an error that comes after the last byte, and knows only that the transaction is broken.
 */
export async function copyIn(
  { sql }: Session,
  { name, columns }: TableShape,
  rows: Uint8Array,
): Promise<void> {
  const list = columns.map(quoted).join(", ");
  const sink = await sql.unsafe(`copy ${quoted(name)} (${list}) from stdin`).writable();
  const taken = finished(sink);
  const written = new Promise<void>((resolve, reject) =>
    sink.write(rows, (error) => error ? reject(error) : resolve())
  );
  // Whichever is not waited for any more must not count as unheard.
  for (const promise of [taken, written]) promise.catch(() => {});
  try {
    await Promise.race([taken, written]);
    sink.end();
    // A stream whose rows were refused late never finishes; the next statement of the transaction tells.
    await Promise.race([taken, sql`select 1`]);
  } catch (error) {
    throw new RefusedError(
      `Cannot restore ${name}: Postgres refused its rows (${
        (error as Error).message
      }); its log says which`,
      { cause: error },
    );
  }
}

/** Lets a sequence go on where it was; one that is not there is left out. */
export async function setSequence(
  { sql }: Session,
  { name, last }: SequenceState,
): Promise<void> {
  if (last === null) return;
  await sql`
    select setval(sequence, ${last}::bigint) from to_regclass(quote_ident(${name})) as sequence where sequence is not null
  `;
}

/** Makes the planner know the tables as they are now. */
export async function analyze({ sql }: Session): Promise<void> {
  await sql`analyze`;
}
