import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import postgres from "postgres";
import { RefusedError } from "../../lib/base/errors.ts";
import { inTransaction } from "../../lib/db/db.ts";
import { insertDeliveries } from "../../lib/db/events.ts";
import { listPendingMigrations, migrate, readMigrations } from "../../lib/db/migrate.ts";
import { emptyDatabase, testDatabase } from "../support/database.ts";
import { deliveryRow } from "../support/jobs.ts";

Deno.test("five migrators at once apply each file once, and none fails", async () => {
  await using database = await emptyDatabase();
  const runs = await Promise.all(Array.from({ length: 5 }, () => migrate({ url: database.url })));
  const names = (await readMigrations()).map(({ name }) => name);
  assertEquals(runs.flatMap(({ applied }) => applied).toSorted(), names);
  assertEquals(await listPendingMigrations(inTransaction(database.sql)), []);
});

Deno.test("migrating again applies nothing", async () => {
  await using database = await testDatabase();
  assertEquals(await migrate({ url: database.url }), { applied: [] });
});

Deno.test("a database that was never migrated lacks every file, and asking does not fail", async () => {
  await using database = await emptyDatabase();
  const pending = await listPendingMigrations(inTransaction(database.sql));
  assertEquals(pending, (await readMigrations()).map(({ name }) => name));
});

Deno.test("a file that was changed after it had been applied is refused, and nothing is applied", async () => {
  await using database = await emptyDatabase();
  await using folder = await folderOf({ "0001_a.sql": "create table a ()" });
  await migrate({ url: database.url, folder: folder.url });
  await folder.write({ "0001_a.sql": "create table a2 ()", "0002_b.sql": "create table b ()" });
  await assertRejects(
    () => migrate({ url: database.url, folder: folder.url }),
    RefusedError,
    "0001_a.sql was changed",
  );
  assertEquals(await tables(database.sql), ["a", "migrations"]);
});

Deno.test("a migration that fails leaves nothing half-done, keeps those before it, and can be run again", async () => {
  await using database = await emptyDatabase();
  await using folder = await folderOf({
    "0001_a.sql": "create table a () -- a comment without a line end",
    "0002_b.sql": "create table b (); create table a ()",
  });
  const options = { url: database.url, folder: folder.url };
  await assertRejects(() => migrate(options), postgres.PostgresError, "already exists");
  assertEquals(await tables(database.sql), ["a", "migrations"]);
  await folder.write({ "0002_b.sql": "create table b ()" });
  assertEquals(await migrate(options), { applied: ["0002_b.sql"] });
});

Deno.test("a migration held up by an open transaction gives up with advice, and no delivery waits for it beyond a sender's patience", async () => {
  await using database = await testDatabase();
  await using folder = await folderWith({
    "0900_note.sql": "alter table events add column note text",
  });
  const options = { url: database.url, folder: folder.url };
  const delays: number[] = [];
  await database.sql.begin(async (sql) => {
    await sql`select from events`;
    const lines: string[] = [];
    let over = false;
    const refused = assertRejects(
      () => migrate({ ...options, tries: 2, log: (line) => void lines.push(line) }),
      RefusedError,
      "pg_stat_activity",
    ).finally(() => over = true);
    while (!over) delays.push(await timeOf(() => store(database.sql)));
    await refused;
    assertEquals(lines, ["waiting for a lock (1 of 2)"]);
  });
  const longestMs = Math.max(...delays);
  assertEquals(longestMs < 1500, true, `a delivery waited for ${longestMs} ms`);
  assertEquals(await migrate(options), { applied: ["0900_note.sql"] });
});

Deno.test("a refusal to migrate says what to do", async () => {
  await using database = await testDatabase();
  await using folder = await folderWith({ "0900_note.sql": "lock table jobs" });
  const refusal = await database.sql.begin(async (sql) => {
    await sql`lock table jobs`;
    return await assertRejects(
      () => migrate({ url: database.url, folder: folder.url, tries: 1 }),
      RefusedError,
    );
  });
  assertStringIncludes(refusal.message, "Cannot migrate: ");
  assertStringIncludes(refusal.message, "run it again");
});

async function store(sql: postgres.Sql): Promise<void> {
  await insertDeliveries(inTransaction(sql), [deliveryRow()]);
}

async function timeOf(work: () => Promise<void>): Promise<number> {
  const startMs = performance.now();
  await work();
  return performance.now() - startMs;
}

async function tables(sql: postgres.Sql): Promise<string[]> {
  const rows =
    await sql`select tablename as name from pg_tables where schemaname = 'public' order by 1`;
  return rows.map((row) => row.name);
}

/** A folder with these migrations after all real ones. */
async function folderWith(files: Record<string, string>) {
  const real = await readMigrations();
  return await folderOf({
    ...Object.fromEntries(real.map(({ name, sql }) => [name, sql])),
    ...files,
  });
}

async function folderOf(files: Record<string, string>) {
  const path = await Deno.makeTempDir();
  const url = new URL(`file://${path}/`);
  const write = async (changed: Record<string, string>) => {
    for (const [name, text] of Object.entries(changed)) {
      await Deno.writeTextFile(new URL(name, url), text);
    }
  };
  await write(files);
  return { url, write, [Symbol.asyncDispose]: () => Deno.remove(path, { recursive: true }) };
}
