/**
 * Brings the database to the schema of this version: plain SQL files, forward only, each in one transaction.
 * @module
 */
import { createHash } from "node:crypto";
import postgres from "postgres";
import { RefusedError } from "../base/errors.ts";
import { sleep } from "../base/repeat.ts";
import { errorCode, type Queries } from "./db.ts";

const FOLDER = new URL("../../migrations/", import.meta.url);
/** One number for all migrators of a database: the lock that makes them take turns. */
const LOCK = 7_405_118;
/** Our own SQLSTATE: another migrator was faster. */
const ALREADY_APPLIED = "HW001";
const UNDEFINED_COLUMN = "42703";
const TRIES = 10;
/** Between two tries, so that what has queued up behind one gets through. */
const PAUSE_MS = 1000;

/** One file of `migrations/`. */
export interface Migration {
  readonly name: string;
  readonly sql: string;
  readonly checksum: string;
}

/** All migrations of this version, in order. */
export async function readMigrations(folder = FOLDER): Promise<Migration[]> {
  const names = (await Array.fromAsync(Deno.readDir(folder)))
    .map((entry) => entry.name).filter((name) => name.endsWith(".sql")).sort();
  return await Promise.all(names.map(async (name) => {
    const sql = await Deno.readTextFile(new URL(name, folder));
    return { name, sql, checksum: createHash("sha256").update(sql).digest("hex") };
  }));
}

/** The names of the migrations that a database has not seen yet. */
export async function listPendingMigrations(db: Queries, folder = FOLDER): Promise<string[]> {
  const [table] = await db.run(db.sql<{ exists: boolean }[]>`
    select to_regclass('migrations') is not null as exists
  `);
  const applied = table?.exists
    ? await db.run(db.sql<{ name: string }[]>`select name from migrations`)
    : [];
  const seen = new Set(applied.map((row) => row.name));
  return (await readMigrations(folder)).map((m) => m.name).filter((name) => !seen.has(name));
}

/**
 * Applies what is missing, or of it `only` some; safe to run by several processes at once.
 * Throws RefusedError when an applied file was changed since, or when a lock is held by others for too long.
 */
export async function migrate(
  options: {
    url: string;
    folder?: URL;
    only?: (name: string) => boolean;
    log?: (line: string) => void;
    tries?: number;
  },
): Promise<{ applied: string[] }> {
  const { only = () => true } = options;
  const migrations = (await readMigrations(options.folder)).filter(({ name }) => only(name));
  const sql = postgres(options.url, {
    max: 1,
    fetch_types: false,
    prepare: false,
    connect_timeout: 10,
    onnotice: () => {},
    connection: { application_name: "hookwork-migrate" },
  });
  try {
    const patience = { tries: options.tries ?? TRIES, log: options.log ?? (() => {}) };
    await patiently(() => sql.unsafe(BOOTSTRAP), patience);
    return { applied: await applyMissing(sql, migrations, patience) };
  } finally {
    await sql.end({ timeout: 2 });
  }
}

// Several statements in one simple query are one transaction, and the driver cannot tear it apart when the connection is lost.
// lock_timeout: an ALTER that waits for a dump holds up all that comes behind it, and a sender waits for 1.5 s only.
const TAKE_TURNS = `set local lock_timeout = '500ms'; select pg_advisory_xact_lock(${LOCK});`;
const BOOTSTRAP = `${TAKE_TURNS}
  create table if not exists migrations (
    name text primary key, checksum text not null, applied_at timestamptz not null default now()
  )`;

async function applyMissing(
  sql: postgres.Sql,
  migrations: readonly Migration[],
  patience: Patience,
): Promise<string[]> {
  const rows = await readApplied(sql);
  const seen = new Map(rows.map((row) => [row.name, row.checksum]));
  const changed = migrations.find((m) => seen.has(m.name) && seen.get(m.name) !== m.checksum);
  if (changed) {
    throw new RefusedError(
      `Cannot migrate: ${changed.name} was changed after it had been applied; restore the file and put the change into a new one`,
    );
  }
  const applied: string[] = [];
  for (const migration of migrations.filter((m) => !seen.has(m.name))) {
    if (!await applyOne(sql, migration, patience)) continue;
    applied.push(migration.name);
    patience.log(`applied ${migration.name}`);
  }
  return applied;
}

async function readApplied(sql: postgres.Sql): Promise<{ name: string; checksum: string }[]> {
  try {
    return await sql<{ name: string; checksum: string }[]>`select name, checksum from migrations`;
  } catch (error) {
    if (errorCode(error) !== UNDEFINED_COLUMN) throw error;
    throw new RefusedError(
      "Cannot migrate: the table migrations belongs to another program; give Hookwork a database of its own",
    );
  }
}

async function applyOne(
  sql: postgres.Sql,
  { name, sql: text, checksum }: Migration,
  patience: Patience,
): Promise<boolean> {
  const script = `${TAKE_TURNS}
    do $once$ begin
      if exists (select from migrations where name = '${name}') then
        raise exception using errcode = '${ALREADY_APPLIED}', message = 'already applied';
      end if;
    end $once$;
    ${text}
    ;
    insert into migrations (name, checksum) values ('${name}', '${checksum}')`;
  try {
    await patiently(() => sql.unsafe(script), patience);
    return true;
  } catch (error) {
    if (errorCode(error) === ALREADY_APPLIED) return false;
    throw error;
  }
}

interface Patience {
  readonly tries: number;
  log(line: string): void;
}

async function patiently(work: () => Promise<unknown>, { tries, log }: Patience): Promise<void> {
  for (let attempt = 1;; attempt++) {
    try {
      await work();
      return;
    } catch (error) {
      if (errorCode(error) !== "55P03") throw error;
      if (attempt === tries) {
        throw new RefusedError(
          `Cannot migrate: others hold a lock on the tables through ${tries} tries; ` +
            `end the dump or the idle transaction that pg_stat_activity shows, then run it again`,
        );
      }
      log(`waiting for a lock (${attempt} of ${tries})`);
      await sleep(PAUSE_MS);
    }
  }
}
