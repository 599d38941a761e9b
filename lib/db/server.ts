/**
 * Questions to the server about this database: its sessions, its vacuum, its size.
 *
 * A role sees what other roles' sessions do only as a member of `pg_read_all_stats`.
 * @module
 */
import type { Queries } from "./db.ts";

/** What Postgres knows of the rows of a table. It learns of changes about a second later. */
export interface TableRows {
  readonly live: number;
  /** Versions of rows that nobody needs and vacuum has not removed. */
  readonly dead: number;
  /** How long ago it was last vacuumed, by hand or by itself; null when it never was. */
  readonly vacuumSeconds: number | null;
}

/** The rows of the table of jobs, which change more often than any other. */
export async function getJobRows(db: Queries): Promise<TableRows> {
  const [row] = await db.run(db.sql<TableRows[]>`
    select n_live_tup::float8 as live, n_dead_tup::float8 as dead,
      extract(epoch from now() - greatest(last_vacuum, last_autovacuum))::float8 as "vacuumSeconds"
    from pg_stat_user_tables where relid = 'jobs'::regclass
  `);
  return row!;
}

/** A transaction that is open. What it runs is left out: the text of a statement may hold anyone's data. */
export interface OpenTransaction {
  readonly pid: number;
  readonly application: string;
  readonly role: string;
  /** Such as `active` or `idle in transaction`. */
  readonly state: string;
  readonly seconds: number;
  /** Since the start of its last statement. */
  readonly statementSeconds: number;
}

/** The transaction of another session that has been open for the longest; undefined when none is to be seen. */
export async function getLongestTransaction(db: Queries): Promise<OpenTransaction | undefined> {
  const [row] = await db.run(db.sql<OpenTransaction[]>`
    select pid, application_name as application, usename as role, state,
      extract(epoch from clock_timestamp() - xact_start)::float8 as seconds,
      extract(epoch from clock_timestamp() - query_start)::float8 as "statementSeconds"
    from pg_stat_activity
    where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()
      and xact_start is not null
    order by xact_start limit 1
  `);
  return row;
}

/** The sessions of this database. */
export interface Sessions {
  /** Of workers. */
  readonly workers: number;
  /** Of workers, on which notifications arrive. */
  readonly listening: number;
  /** Of other roles: Postgres tells their names, and not what they do. */
  readonly hidden: number;
}

/** Counts sessions by the name under which workers connect (see `worker.ts`). */
export async function countSessions(db: Queries): Promise<Sessions> {
  const [row] = await db.run(db.sql<Sessions[]>`
    select count(*) filter (where application_name = 'hookwork-worker')::int as workers,
      count(*) filter (where application_name = 'hookwork-worker' and query ilike 'listen %')::int as listening,
      count(*) filter (where backend_type is null)::int as hidden
    from pg_stat_activity where datname = current_database()
  `);
  return row!;
}

/** What a table takes on disk, with its indexes. */
export interface TableSize {
  readonly table: string;
  readonly bytes: number;
}

/** The largest tables first. */
export async function listTableSizes(db: Queries, limit: number): Promise<TableSize[]> {
  return await db.run(db.sql<TableSize[]>`
    select relname as table, pg_total_relation_size(relid)::float8 as bytes
    from pg_stat_user_tables order by bytes desc, relname limit ${limit}
  `);
}
