/** What the tests of backups share: a database with something odd in each table, documents, and ways to compare. */

import type postgres from "postgres";
import { createDirectoryStorage } from "../../lib/contracts/directory_storage.ts";
import { type DocumentStorage, sha256 } from "../../lib/contracts/storage.ts";
import { listTables } from "../../lib/db/dump.ts";
import { emptyDatabase, type TestDatabase, testDatabase } from "../support/database.ts";

/** Nobody listens, and nobody interrupts. */
export const watcher = { progress: () => {}, signal: new AbortController().signal };

/** A folder that is removed with all that is in it. */
export async function tempFolder(): Promise<{ path: string } & AsyncDisposable> {
  const path = await Deno.makeTempDir({ prefix: "hookwork-backup-" });
  return { path, [Symbol.asyncDispose]: () => Deno.remove(path, { recursive: true }) };
}

/** A whole installation: a filled database, its documents, and a folder for backups. */
export interface World extends AsyncDisposable {
  readonly database: TestDatabase;
  readonly documents: DocumentStorage;
  readonly documentsFolder: string;
  readonly backupsFolder: string;
}

/** Makes one. */
export async function filledWorld(): Promise<World> {
  const temp = await tempFolder();
  const database = await testDatabase();
  const documentsFolder = `${temp.path}/documents`;
  const documents = createDirectoryStorage(documentsFolder);
  await fill(database.sql, documents);
  return {
    database,
    documents,
    documentsFolder,
    backupsFolder: `${temp.path}/backups`,
    async [Symbol.asyncDispose]() {
      await database[Symbol.asyncDispose]();
      await temp[Symbol.asyncDispose]();
    },
  };
}

/** Where it is restored: a database without tables, and an empty folder. */
export async function emptyWorld(): Promise<World> {
  const temp = await tempFolder();
  const database = await emptyDatabase();
  const documentsFolder = `${temp.path}/documents`;
  return {
    database,
    documentsFolder,
    documents: createDirectoryStorage(documentsFolder),
    backupsFolder: `${temp.path}/backups`,
    async [Symbol.asyncDispose]() {
      await database[Symbol.asyncDispose]();
      await temp[Symbol.asyncDispose]();
    },
  };
}

const EVERY_BYTE = Uint8Array.from({ length: 256 }, (_, byte) => byte);
/** What text of COPY has to escape, what JSON may hold and jsonb may not, and what no table should ever see. */
const ODD_TEXT = 'tab\t line\n return\r back\\slash \\N \\. \u0001 Договор 🧾 "quoted" {,}';
const ODD_JSON = String
  .raw`{"zero": "\u0000", "half": "\ud83d", "twice":1,"twice" : 2, "big": 90071992547409931}`;
const PDF = new TextEncoder().encode("%PDF-1.3 contract 2026-0001");

async function fill(sql: postgres.Sql, documents: DocumentStorage): Promise<void> {
  await sql`
    insert into events (source, dedup_key, secret_index, path, query, headers, body, error) values
      ('site', ${ODD_TEXT}, 0, '/hooks/site', 'a=%00', ${
    sql.json({ odd: ODD_TEXT })
  }, ${EVERY_BYTE}, null),
      ('site', null, 1, '/hooks/site', '', '{}', '', 'could not be routed'),
      ('amocrm', 'empty', 0, '/hooks/amocrm/***', '', '{}', null, null)`;
  await sql`
    insert into jobs (kind, payload, key, event_id, entity, last_error)
    values ('work', ${ODD_JSON}::text::json, ${ODD_TEXT}, 1, 'lead:1', ${ODD_TEXT})`;
  await sql`
    insert into jobs (kind, status, reason, attempts, claims, locked_until, locked_by, finished_at, superseded_by, run_at)
    values
      ('work', 'running', null, 1, 1, now() + interval '1 minute', 'host/1', null, null, now()),
      ('work', 'done', null, 1, 1, null, null, now(), null, now()),
      ('work', 'failed', 'permanent', 1, 1, null, null, now(), null, now()),
      ('work', 'superseded', null, 0, 0, null, null, now(), 1, now()),
      ('later', 'pending', null, 0, 0, null, null, null, null, 'infinity')`;
  await sql`insert into entities (entity, job_id, next_at, kind, priority) values ('lead:1', 1, 'infinity', 'work', 1)`;
  await sql`
    insert into effects (key, job_id, kind, claim, state, tries, ref, other_refs, detail, ends_at, done_at) values
      ('done', 1, 'work', 1, 'done', 0, 'r1', array[${ODD_TEXT}, 'NULL', ''], ${ODD_JSON}::text::json, null, now()),
      ('open', 2, 'work', 1, 'intended', 1, null, '{}', null, now(), null)`;
  await sql`insert into schedules (name, last_slot) values ('daily', '2026-12-01')`;
  await sql`insert into alerts (topic, pending, last_text) values ('work permanent', 3, ${ODD_TEXT})`;
  await sql`insert into lanes (name, since, paused_until, rate) values ('amocrm', now(), 'infinity', 0.1::float8 + 0.2)`;
  await sql`insert into source_watch (source) values ('amocrm'), ('site')`;
  await sql`insert into gaps (source, began_at, reason) values ('amocrm', now() - interval '1 hour', 'lasts')`;
  await sql`insert into contract_series values ('2026-#', 2)`;
  await sql`
    insert into contract_documents (account_id, lead_id, template_ver, doc_number, doc_date, file_path, content_hash) values
      (1, 4521, 'v1', '2026-0001', '2026-12-01', 'contract-1-4521-v1.pdf', ${await sha256(PDF)}),
      (1, 4522, 'v1', '2026-0002', '2026-12-01', 'contract-1-4522-v1.pdf', null)`;
  await documents.put("contract-1-4521-v1.pdf", PDF);
  await sql`
    insert into amocrm_tokens (consent, pair, access_token, refresh_token, expires_at, paired_at)
    values ('c', 1, 'access', 'refresh', now(), now())`;
}

/** Makes a table large: rows of a kilobyte that cannot be compressed away. */
export async function addEvents(sql: postgres.Sql, count: number): Promise<void> {
  await sql`
    insert into events (source, secret_index, path, headers, body)
    select 'bulk', 0, '/', '{}', decode((select string_agg(md5(random()::text || k), '') from generate_series(1, 64) as k where n > 0), 'hex')
    from generate_series(1, ${count}::int) as n`;
}

/** All rows of all tables, as Postgres writes them. */
export async function contentOf(sql: postgres.Sql): Promise<Record<string, string[]>> {
  const tables = await listTables({ sql });
  const content = await Promise.all(tables.map(async (table) => {
    const rows = await sql<{ row: string }[]>`select t::text as row from ${
      sql(table)
    } as t order by 1`;
    return [table, rows.map(({ row }) => row)];
  }));
  return Object.fromEntries(content);
}

/** All files of a folder with their bytes, folders within it included; what is aside is left out. */
export async function filesOf(folder: string): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    if (name === ".partial") continue;
    if (!isDirectory) found[name] = await sha256(await Deno.readFile(`${folder}/${name}`));
    else {
      const inner = await filesOf(`${folder}/${name}`);
      for (const [file, hash] of Object.entries(inner)) found[`${name}/${file}`] = hash;
    }
  }
  return found;
}
