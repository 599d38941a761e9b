/**
 * Reads all tables as they were at one moment.
 *
 * `COPY` in text, by our own connection, and not `pg_dump`: that has to be there, must not be older than the server, and is of
 * no use where Postgres is in a container or somebody else's. What is written can also be read by `psql`.
 * @module
 */
import { RefusedError } from "../base/errors.ts";
import { inTime } from "../base/repeat.ts";
import { errorCode, StatementDeadlineError } from "./db.ts";
import { liftTransactionDeadline, LONG_TRANSACTION, quoted, type Session } from "./session.ts";

/** Between two pieces of a table. A connection that is dead would be waited for as long as TCP does. */
const SILENCE_MS = 120_000;
const LOCK_NOT_AVAILABLE = "55P03";
/** Its rows are what makes the tables: whoever loads them migrates, and does not copy them. */
const OF_MIGRATIONS = "migrations";

/** A table, as far as its rows are concerned. */
export interface TableShape {
  readonly name: string;
  /** Without those that Postgres computes. */
  readonly columns: readonly string[];
}

/** What a snapshot is of. */
export interface Snapshot {
  /** By the database's clock: all that was committed before is in it. */
  readonly takenAt: Date;
  /** The version of the server. */
  readonly postgres: string;
  readonly migrations: readonly { readonly name: string; readonly checksum: string }[];
  /** Referenced tables come before those that refer to them. */
  readonly tables: readonly TableShape[];
}

/** The tables of the schema but that of the migrations. */
export async function listTables({ sql }: Pick<Session, "sql">): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`
    select relname as name from pg_class
    where relnamespace = current_schema()::regnamespace and relkind = 'r' and relname <> ${OF_MIGRATIONS}
    order by relname
  `;
  return rows.map(({ name }) => name);
}

/**
 * Begins a transaction in which nothing changes any more. While it lasts, vacuum cannot clean up what has died since, and
 * migrations wait: keep it short.
 *
 * The tables are locked before the snapshot is taken, which a `LOCK` does not: else a migration could change them in between,
 * and its rewritten rows would look as if they were not there.
 */
export async function beginSnapshot(session: Session): Promise<Snapshot> {
  const { sql } = session;
  const names = await listTables(session);
  if (names.length === 0) throw notOurs();
  try {
    await sql.unsafe(`
      begin isolation level repeatable read read only; ${LONG_TRANSACTION}
      lock table ${names.map(quoted).join(", ")} in access share mode`);
  } catch (error) {
    throw errorCode(error) === LOCK_NOT_AVAILABLE ? isLocked() : error;
  }
  await liftTransactionDeadline(session);
  const migrations = await sql<{ name: string; checksum: string }[]>`
    select name, checksum from migrations order by name
  `;
  const tables = await sql<TableShape[]>`
    with recursive ours as (
      select oid, relname from pg_class
      where relnamespace = current_schema()::regnamespace and relkind = 'r' and relname <> ${OF_MIGRATIONS}
    ), layers as (
      select oid, 0 as layer from ours
      union all
      select conrelid, layer + 1 from layers join pg_constraint on confrelid = layers.oid
      where contype = 'f' and conrelid <> confrelid and layer < 100
    )
    select relname as name, (
      select json_agg(attname order by attnum) from pg_attribute
      where attrelid = ours.oid and attnum > 0 and not attisdropped and attgenerated = ''
    ) as columns
    from ours order by (select max(layer) from layers where layers.oid = ours.oid), relname
  `;
  if (tables.map(({ name }) => name).toSorted().join() !== names.toSorted().join()) {
    throw new RefusedError("Cannot back up: tables were made or removed meanwhile; run it again");
  }
  const [moment] = await sql<{ takenAt: Date; postgres: string }[]>`
    select now() as "takenAt", current_setting('server_version') as postgres
  `;
  return { ...moment!, migrations, tables };
}

/** The rows of a table as text, in pieces that end where a row does. Throws StatementDeadlineError when the database falls silent. */
export async function* copyOut(
  { sql }: Session,
  { name, columns }: TableShape,
): AsyncGenerator<Uint8Array> {
  const list = columns.map(quoted).join(", ");
  const silent = () =>
    new StatementDeadlineError(`the database sent nothing of ${name} within ${SILENCE_MS} ms`);
  const copy = sql.unsafe(`copy ${quoted(name)} (${list}) to stdout`);
  const rows = await inTime(SILENCE_MS, copy.readable(), silent);
  const pieces = rows[Symbol.asyncIterator]();
  try {
    for (;;) {
      const { done, value } = await inTime(SILENCE_MS, pieces.next(), silent);
      if (done) return;
      yield value;
    }
  } finally {
    rows.destroy();
    // The driver stops reading its socket while many rows wait, and forgets to go on when those were the last.
    rows._read(0);
  }
}

/** How far a sequence was counted. */
export interface SequenceState {
  readonly name: string;
  /** Digits; null when no number was ever given out. */
  readonly last: string | null;
}

/** The sequences as they are now: they take no part in a snapshot, so ask after the rows. */
export async function listSequences({ sql }: Session): Promise<SequenceState[]> {
  return await sql<SequenceState[]>`
    select sequencename as name, last_value::text as last from pg_sequences
    where schemaname = current_schema() order by sequencename
  `;
}

function isLocked(): RefusedError {
  return new RefusedError(
    "Cannot back up: others hold the tables, perhaps a migration; run it again when that is over",
  );
}

function notOurs(): RefusedError {
  return new RefusedError(
    "Cannot back up: the database has no tables; see whether DATABASE_URL names the right one",
  );
}
