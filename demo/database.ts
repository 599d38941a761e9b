/**
 * The demo's own database, on the embedded Postgres or on one that is already there.
 * @module
 */
import { fileURLToPath } from "node:url";
import postgres from "postgres";
import { migrate } from "../lib/db/migrate.ts";
import { startPostgres } from "./postgres.ts";

/** A migrated database that only the demo uses; disposing of it drops it. */
export interface Database extends AsyncDisposable {
  readonly url: string;
  readonly sql: postgres.Sql;
  /** Takes the database away for a moment, from all who are connected. Resolves when it is back. */
  interrupt(): Promise<void>;
}

/** What differs between a Postgres that is ours and one of somebody else. */
interface Server extends AsyncDisposable {
  readonly url: string;
  /** The name of the demo's database on it. */
  readonly database: string;
  interrupt(): Promise<void>;
}

const FOLDER = fileURLToPath(new URL("../.hookwork/demo", import.meta.url));
const PREFIX = "hookwork_demo";
const OUTAGE_MS = 1000;

/** Makes the database. `given` is the URL of a Postgres to use instead of the embedded one. */
export async function openDatabase(
  options: { given?: string; log: (line: string) => void },
): Promise<Database> {
  await using stack = new AsyncDisposableStack();
  const server = stack.use(
    options.given ? foreignServer(options.given) : await embeddedServer(options.log),
  );
  await createDatabase(server);
  stack.defer(() => dropDatabase(server));
  const url = urlOf(server);
  await migrate({ url });
  const sql = stack.adopt(connect(url, 4), (pool) => pool.end({ timeout: 1 }));
  const held = stack.move();
  return {
    url,
    sql,
    interrupt: () => server.interrupt(),
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  };
}

async function embeddedServer(log: (line: string) => void): Promise<Server> {
  const server = await startPostgres({ dir: FOLDER, log });
  return {
    url: server.url,
    database: PREFIX,
    interrupt: () => server.restart("immediate"),
    [Symbol.asyncDispose]: () => server.stop(),
  };
}

/** Others may work on this server, so only the demo's own database is closed for a moment. */
function foreignServer(url: string): Server {
  const database = `${PREFIX}_${crypto.randomUUID().slice(0, 8)}`;
  return {
    url,
    database,
    async interrupt() {
      await using admin = connectForOnce(url);
      const { sql } = admin;
      await sql`alter database ${sql(database)} with allow_connections false`;
      await sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = ${database}`;
      await new Promise((wake) => setTimeout(wake, OUTAGE_MS));
      await sql`alter database ${sql(database)} with allow_connections true`;
    },
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}

async function createDatabase(server: Server): Promise<void> {
  try {
    // One may be left on the embedded server by a demo that was killed.
    await dropDatabase(server);
    await using admin = connectForOnce(server.url);
    await admin.sql`create database ${admin.sql(server.database)}`;
  } catch (cause) {
    const remedy = "see that DATABASE_URL is right and its role may create databases, or unset it";
    throw new Error(`Cannot make a database for the demo; ${remedy}`, { cause });
  }
}

async function dropDatabase({ url, database }: Server): Promise<void> {
  await using admin = connectForOnce(url);
  await admin.sql`drop database if exists ${admin.sql(database)} with (force)`;
}

function connectForOnce(url: string): { sql: postgres.Sql } & AsyncDisposable {
  const sql = connect(url, 1);
  return { sql, [Symbol.asyncDispose]: () => sql.end({ timeout: 1 }) };
}

function connect(url: string, max: number): postgres.Sql {
  return postgres(url, { max, fetch_types: false, onnotice: () => {} });
}

function urlOf({ url, database }: Server): string {
  const own = new URL(url);
  own.pathname = `/${database}`;
  return own.href;
}
