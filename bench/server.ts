/**
 * The Postgres that everything is measured on, and what it counts.
 * @module
 */
import { fileURLToPath } from "node:url";
import postgres from "postgres";
import { startPostgres } from "../demo/postgres.ts";
import { arrayLiteral } from "../lib/db/db.ts";
import { migrate } from "../lib/db/migrate.ts";

/** A server that lends databases. Disposing of it gives up what is left of them. */
export interface Server extends AsyncDisposable {
  /** An empty database, or a copy of the one named. */
  database(copyOf?: string): Promise<Database>;
  /** What the measurements depend on, such as whether commits are durable. */
  settings(): Promise<Record<string, string>>;
}

/** A database for one measurement; disposing of it drops it. */
export interface Database extends AsyncDisposable {
  readonly name: string;
  readonly url: string;
  readonly sql: postgres.Sql;
  /** Brings it to the project's schema. */
  migrate(): Promise<void>;
  /** Ends what the filling left to do, so that no measurement pays for it: statistics, dead rows, dirty pages. */
  settle(): Promise<void>;
  /** Leaves no connection of ours, so that it can be copied. */
  disconnect(): Promise<void>;
  counters(): Promise<Counters>;
}

/** What grows while work is done. Other databases of the server count in `walBytes`. */
export interface Counters {
  readonly walBytes: number;
  readonly commits: number;
}

const FOLDER = fileURLToPath(new URL("../.hookwork/bench", import.meta.url));
const PREFIX = "hookwork_bench";
const SHOWN = ["server_version", "fsync", "synchronous_commit", "shared_buffers", "max_wal_size"];

/** Starts a Postgres with full durability, or uses the one at `given`. */
export async function openServer(
  { given, log }: { given?: string; log: (line: string) => void },
): Promise<Server> {
  await using stack = new AsyncDisposableStack();
  let url = given;
  if (url === undefined) {
    const embedded = await startPostgres({ dir: FOLDER, durable: true, log });
    stack.defer(() => embedded.stop());
    url = embedded.url;
  }
  const admin = stack.adopt(connect(url, 1), (sql) => sql.end({ timeout: 1 }));
  // A run that was killed could not drop its own. A foreign server may hold those of somebody else's run.
  if (given === undefined) await dropAll(admin);
  const held = stack.move();
  return {
    async database(copyOf) {
      const name = `${PREFIX}_${crypto.randomUUID().slice(0, 8)}`;
      if (copyOf === undefined) await admin`create database ${admin(name)}`;
      else {
        await admin`create database ${admin(name)} template ${admin(copyOf)} strategy file_copy`;
      }
      const own = new URL(url);
      own.pathname = `/${name}`;
      return openDatabase(own.href, name, admin);
    },
    async settings() {
      const rows = await admin`
        select name, current_setting(name) as value from pg_settings where name = any(${
        arrayLiteral(SHOWN)
      }::text[])
      `;
      return Object.fromEntries(rows.map(({ name, value }) => [name, value]));
    },
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  };
}

function openDatabase(url: string, name: string, admin: postgres.Sql): Database {
  const sql = connect(url, 4);
  return {
    name,
    url,
    sql,
    migrate: async () => void await migrate({ url }),
    async settle() {
      await sql`vacuum analyze`;
      await sql`checkpoint`;
    },
    disconnect: () => sql.end({ timeout: 1 }),
    async counters() {
      const [row] = await sql<[Counters]>`
        select (pg_current_wal_insert_lsn() - '0/0')::float8 as "walBytes",
          (select xact_commit::float8 from pg_stat_database where datname = current_database()) as commits
      `;
      return row;
    },
    async [Symbol.asyncDispose]() {
      await sql.end({ timeout: 1 });
      await admin`drop database ${admin(name)} with (force)`;
    },
  };
}

async function dropAll(admin: postgres.Sql): Promise<void> {
  const rows = await admin`select datname from pg_database where starts_with(datname, ${PREFIX})`;
  for (const { datname } of rows) await admin`drop database ${admin(datname)} with (force)`;
}

function connect(url: string, max: number): postgres.Sql {
  return postgres(url, { max, fetch_types: false, onnotice: () => {} });
}
