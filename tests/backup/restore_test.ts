import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { makeBackup } from "../../lib/backup/backup.ts";
import { createDirectoryStore } from "../../lib/backup/directory_store.ts";
import type { Backup } from "../../lib/backup/read.ts";
import { restoreBackup, type RestoreTarget } from "../../lib/backup/restore.ts";
import { RefusedError } from "../../lib/base/errors.ts";
import { listPendingMigrations, migrate, readMigrations } from "../../lib/db/migrate.ts";
import { connect } from "../../lib/db/db.ts";
import {
  contentOf,
  emptyWorld,
  filesOf,
  filledWorld,
  tempFolder,
  watcher,
  type World,
} from "./support.ts";

/** What a restore changes on purpose; all else has to be as it was. */
const MARKED = ["backups", "contract_series", "gaps", "schedules", "source_watch"];

async function backupOf(world: World): Promise<Backup> {
  const { database, documents, backupsFolder } = world;
  const source = { databaseUrl: database.url, documents, version: "0.1.0" };
  return await makeBackup(source, createDirectoryStore(backupsFolder), watcher);
}

function targetOf({ database, documents }: World, options: Partial<RestoreTarget> = {}) {
  return { databaseUrl: database.url, documents, skipNumbers: 100, agree: () => {}, ...options };
}

function without(content: Record<string, unknown>, names: readonly string[]) {
  return Object.fromEntries(Object.entries(content).filter(([name]) => !names.includes(name)));
}

Deno.test("A database and its documents that were destroyed come back with the same rows and the same bytes", async () => {
  await using world = await filledWorld();
  const backup = await backupOf(world);
  const [rows, files] = [await contentOf(world.database.sql), await filesOf(world.documentsFolder)];
  await using other = await emptyWorld();
  const restored = await restoreBackup(backup, targetOf(other), watcher);
  const now = await contentOf(other.database.sql);
  assertEquals(without(now, MARKED), without(rows, MARKED));
  assertEquals(Object.keys(now), Object.keys(rows));
  assertEquals(await filesOf(other.documentsFolder), files);
  assertEquals(Object.keys(files), ["contract-1-4521-v1.pdf"]);
  const total = Object.values(rows).flat().length;
  assertEquals([restored.rows, restored.documents], [total, 1]);
  await using db = opened(other);
  assertEquals(await listPendingMigrations(db), []);
});

Deno.test("Ids go on behind those of the backup, so no new event takes the place of an old one", async () => {
  await using world = await filledWorld();
  await world.database.sql`select setval('jobs_id_seq', 9007199254740993)`;
  const backup = await backupOf(world);
  await using other = await emptyWorld();
  await restoreBackup(backup, targetOf(other), watcher);
  const { sql } = other.database;
  const [row] = await sql`
    insert into jobs (kind) values ('work') returning id::text, nextval('events_id_seq')::text as event`;
  assertEquals({ ...row }, { id: "9007199254740994", event: "4" });
});

Deno.test("A restored database knows that it is an old one: the time since is a gap, no slot is caught up, no number comes twice", async () => {
  await using world = await filledWorld();
  const backup = await backupOf(world);
  const { takenAt } = backup.manifest;
  await using other = await emptyWorld();
  const restored = await restoreBackup(backup, targetOf(other), watcher);
  const { sql } = other.database;
  const [gap, ...more] = await sql`
    select source, reason, closed_at, ended_at >= ${takenAt} as ended, began_at <= ${takenAt} as began
    from gaps where reason <> 'lasts' order by source`;
  const reason = `the database was restored from the backup of ${takenAt.toISOString()}`;
  assertEquals({ ...gap }, { source: "amocrm", reason, closed_at: null, ended: true, began: true });
  assertEquals(more.map(({ source }) => source), ["site"]);
  assertEquals([...await sql`select from schedules`], []);
  assertEquals({ ...(await sql`select last::text from contract_series`)[0] }, { last: "102" });
  assertEquals([...restored.numbers].map((one) => ({ ...one })), [{
    series: "2026-#",
    last: "102",
  }]);
  assertEquals((await sql`select restored_from from backups`)[0]!.restored_from, takenAt);
  assertEquals([...restored.unfinished].map((one) => ({ ...one })), [
    { kind: "work", count: 2 },
    { kind: "later", count: 1 },
  ]);
});

Deno.test("A database that has rows is left alone, and what it has is told", async () => {
  await using world = await filledWorld();
  const backup = await backupOf(world);
  const before = await contentOf(world.database.sql);
  const error = await assertRejects(
    () => restoreBackup(backup, targetOf(world), watcher),
    RefusedError,
    "the database is not empty",
  );
  assertStringIncludes(error.message, "events 3, gaps 1, jobs 6");
  assertEquals(await contentOf(world.database.sql), before);
});

Deno.test("A database in which nothing has happened takes a backup; one of a later version does not", async () => {
  await using world = await filledWorld();
  const backup = await backupOf(world);
  await using other = await emptyWorld();
  const { sql, url } = other.database;
  await migrate({ url });
  // As install.sh leaves it, with a receiver and a worker that were started.
  await sql`insert into source_watch (source) values ('site'), ('telegram')`;
  await sql`insert into schedules (name, last_slot) values ('heartbeat', '2099-01-01T00:00Z')`;
  await sql`insert into migrations values ('9999_later.sql', 'c')`;
  await assertRejects(
    () => restoreBackup(backup, targetOf(other), watcher),
    RefusedError,
    "a later version already (9999_later.sql)",
  );
  await sql`delete from migrations where name = '9999_later.sql'`;
  assertEquals((await restoreBackup(backup, targetOf(other), watcher)).documents, 1);
});

Deno.test("A backup whose schema this version does not know is refused by its migration, before anything is changed", async () => {
  await using world = await filledWorld();
  const { store, manifest } = await backupOf(world);
  await using other = await emptyWorld();
  const strange = [
    [...manifest.migrations, { name: "9999_later.sql", checksum: "c" }],
    manifest.migrations.map((one, index) => index === 0 ? { ...one, checksum: "c" } : one),
  ];
  for (const migrations of strange) {
    const restored = restoreBackup(
      { store, manifest: { ...manifest, migrations } },
      targetOf(other),
      watcher,
    );
    await assertRejects(() => restored, RefusedError, "this version does not have");
  }
  assertEquals(await contentOf(other.database.sql), {});
});

Deno.test("A backup in which one byte was changed or one file is missing is refused, before anything is changed", async () => {
  await using world = await filledWorld();
  const backup = await backupOf(world);
  const { name, tables } = backup.manifest;
  await using other = await emptyWorld();
  const rows = `${world.backupsFolder}/${name}/${
    tables.find((one) => one.rows > 0)!.files[0]!.file
  }`;
  const document = `${world.backupsFolder}/documents/contract-1-4521-v1.pdf`;
  for (const file of [rows, document]) {
    const bytes = await Deno.readFile(file);
    const refused = async (why: string) => {
      const restored = restoreBackup(backup, targetOf(other), watcher);
      const { message } = await assertRejects(() => restored, RefusedError, why);
      assertStringIncludes(message, file);
    };
    await Deno.writeFile(file, bytes.with(bytes.length >> 1, bytes[bytes.length >> 1]! ^ 1));
    await refused("its bytes are not those that were written");
    await Deno.remove(file);
    await refused("it is missing");
    await Deno.writeFile(file, bytes);
  }
  assertEquals(await contentOf(other.database.sql), {});
});

Deno.test("A restore that is cut off has restored no row, and can be run again", async () => {
  await using world = await filledWorld();
  const backup = await backupOf(world);
  await using other = await emptyWorld();
  const controller = new AbortController();
  const cut = restoreBackup(backup, targetOf(other), {
    signal: controller.signal,
    progress: (line) => line.startsWith("events:") && controller.abort(new Error("cut off")),
  });
  await assertRejects(() => cut, Error, "cut off");
  const left = await contentOf(other.database.sql);
  assertEquals(Object.values(without(left, ["backups", "retention"])).flat(), []);
  await restoreBackup(backup, targetOf(other), watcher);
  assertEquals(
    without(await contentOf(other.database.sql), MARKED),
    without(await contentOf(world.database.sql), MARKED),
  );
});

Deno.test("While workers are connected nothing is restored: they would begin the old jobs at once", async () => {
  await using world = await filledWorld();
  const backup = await backupOf(world);
  await using other = await emptyWorld();
  const worker = connect({
    url: other.database.url,
    application: "hookwork-worker",
    max: 1,
    statementSeconds: 10,
  });
  await worker.run(worker.sql`select 1`);
  const restored = restoreBackup(backup, targetOf(other), watcher);
  await assertRejects(() => restored, RefusedError, "1 connection(s) of workers are open");
  await worker.close();
});

Deno.test("Nothing is changed where nobody agrees", async () => {
  await using world = await filledWorld();
  const backup = await backupOf(world);
  await using other = await emptyWorld();
  const no = () => {
    throw new RefusedError("no");
  };
  await assertRejects(() => restoreBackup(backup, targetOf(other, { agree: no }), watcher));
  assertEquals(await contentOf(other.database.sql), {});
});

Deno.test("A table of somebody else does not keep the rest from being restored, and is told of", async () => {
  await using world = await filledWorld();
  await world.database.sql`create table "their own" (id int)`;
  await world.database.sql`insert into "their own" values (1)`;
  const backup = await backupOf(world);
  await using other = await emptyWorld();
  const restored = await restoreBackup(backup, targetOf(other), watcher);
  assertEquals(restored.unknownTables, ["their own"]);
  const left = await contentOf(other.database.sql);
  assertEquals([left["their own"], left.events?.length], [undefined, 3]);
});

Deno.test("A backup of an earlier version goes into its own tables, and what came later is then done to its rows", async () => {
  await using world = await filledWorld();
  const backup = await backupOf(world);
  await using folder = await tempFolder();
  const { path } = folder;
  for (const { name, sql } of await readMigrations()) {
    await Deno.writeTextFile(`${path}/${name}`, sql);
  }
  await Deno.writeTextFile(
    `${path}/9999_later.sql`,
    "alter table jobs add column later int; update jobs set later = attempts + 40;",
  );
  await using other = await emptyWorld();
  const migrations = new URL(`file://${path}/`);
  await restoreBackup(backup, targetOf(other, { migrations }), watcher);
  const rows = await other.database.sql`select later - attempts as later from jobs`;
  assertEquals(rows.map(({ later }) => later), Array(6).fill(40));
});

function opened({ database }: World) {
  const db = connect({ url: database.url, application: "test", max: 1, statementSeconds: 10 });
  return Object.assign(db, { [Symbol.asyncDispose]: () => db.close() });
}
