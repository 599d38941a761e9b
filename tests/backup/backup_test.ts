import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import {
  type BackupSource,
  copyBackup,
  makeBackup,
  removeExpired,
} from "../../lib/backup/backup.ts";
import { createDirectoryStore } from "../../lib/backup/directory_store.ts";
import { openBackup, verifyBackup } from "../../lib/backup/read.ts";
import { createS3Store } from "../../lib/backup/s3_store.ts";
import { startS3 } from "../contracts/s3_server.ts";
import { outsideOf } from "../contracts/support.ts";
import { addEvents, filesOf, filledWorld, watcher, type World } from "./support.ts";

const VERSION = "0.1.0 (from source)";
const sourceOf = ({ database, documents }: World): BackupSource => (
  { databaseUrl: database.url, documents, version: VERSION, partBytes: 20_000 }
);

Deno.test("A backup says what it holds: version, schema, rows and hashes, and each file is there", async () => {
  await using world = await filledWorld();
  const store = createDirectoryStore(world.backupsFolder);
  const { manifest } = await makeBackup(sourceOf(world), store, watcher);
  assertEquals(await store.list(), [manifest.name]);
  assertEquals([manifest.version, manifest.migrations[0]!.name], [VERSION, "0001_events.sql"]);
  const events = manifest.tables.find(({ name }) => name === "events")!;
  assertEquals([events.rows, events.files.length], [3, 1]);
  const files = await filesOf(`${world.backupsFolder}/${manifest.name}`);
  const named = manifest.tables.flatMap((table) => table.files);
  assertEquals(
    Object.keys(files).toSorted(),
    ["manifest.json", ...named.map(({ file }) => file)].toSorted(),
  );
  assertEquals(named.map(({ file, sha256 }) => files[file] === sha256), named.map(() => true));
  assertEquals(await verifyBackup({ store, manifest }, watcher), []);
});

Deno.test("A large table becomes several files that each begin and end with a row, so none has to be held whole", async () => {
  await using world = await filledWorld();
  await addEvents(world.database.sql, 100);
  const store = createDirectoryStore(world.backupsFolder);
  const { manifest } = await makeBackup(sourceOf(world), store, watcher);
  const { rows, files } = manifest.tables.find(({ name }) => name === "events")!;
  assert(files.length > 5, `${files.length} files`);
  assertEquals([rows, files.reduce((sum, file) => sum + file.rows, 0)], [103, 103]);
});

Deno.test("Documents are copied after the rows: one that is stored while those are read is not missing", async () => {
  await using world = await filledWorld();
  const late = "contract-1-4522-v1.pdf";
  const { manifest } = await makeBackup(
    sourceOf(world),
    createDirectoryStore(world.backupsFolder),
    {
      ...watcher,
      progress: (line) =>
        line.startsWith("jobs") &&
        Deno.writeTextFileSync(`${world.documentsFolder}/${late}`, "late"),
    },
  );
  assertEquals(manifest.documents.map(({ name }) => name), ["contract-1-4521-v1.pdf", late]);
});

Deno.test("A backup that is interrupted leaves nothing behind", async () => {
  await using world = await filledWorld();
  await addEvents(world.database.sql, 100);
  const store = createDirectoryStore(world.backupsFolder);
  const controller = new AbortController();
  const interrupted = makeBackup(sourceOf(world), store, {
    signal: controller.signal,
    progress: () => controller.abort(new Error("stopped by hand")),
  });
  await assertRejects(() => interrupted, Error, "stopped by hand");
  assertEquals([await store.list(), await store.listHalf()], [[], []]);
});

Deno.test("A connection that is lost in the middle ends the backup: the rest is not read outside of its snapshot", async () => {
  await using world = await filledWorld();
  await addEvents(world.database.sql, 3000);
  const store = createDirectoryStore(world.backupsFolder);
  let killed: Promise<unknown> | undefined;
  const lost = makeBackup({ ...sourceOf(world), partBytes: 200_000 }, store, {
    ...watcher,
    progress: () =>
      killed ??= world.database.sql`
      select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'hookwork-backup' and datname = current_database()`
        .execute(),
  });
  await assertRejects(() => lost);
  await killed;
  assertEquals([await store.list(), await store.listHalf()], [[], []]);
});

Deno.test("What a killed backup left is removed by a later one, and what another may be writing now is not", async () => {
  await using world = await filledWorld();
  const store = createDirectoryStore(world.backupsFolder);
  for (const name of ["hookwork-20010101T000000Z", "hookwork-20990101T000000Z"]) {
    await store.begin(name);
  }
  await makeBackup(sourceOf(world), store, watcher);
  assertEquals(await store.listHalf(), ["hookwork-20990101T000000Z"]);
});

Deno.test("Only what is older than it is to be kept is removed from a store", async () => {
  await using world = await filledWorld();
  const store = createDirectoryStore(world.backupsFolder);
  const old = Array.from({ length: 4 }, (_, day) => `hookwork-2001010${day + 1}T000000Z`);
  for (const name of old) {
    await store.begin(name);
    await store.seal(name, new TextEncoder().encode("{}"));
  }
  const { manifest } = await makeBackup(sourceOf(world), store, watcher);
  assertEquals(await removeExpired(store, 14, manifest.name), old.slice(0, 2));
  assertEquals(await store.list(), [...old.slice(2), manifest.name]);
});

Deno.test("A copy in a bucket has the same bytes; a document that is there already is not sent again", async () => {
  await using world = await filledWorld();
  await using s3 = startS3();
  const bucket = createS3Store(s3.store, outsideOf(), []);
  const store = createDirectoryStore(world.backupsFolder);
  const backup = await makeBackup(sourceOf(world), store, watcher);
  await copyBackup(backup, bucket, watcher);
  const { name } = backup.manifest;
  const sent = Object.fromEntries(
    await Promise.all(
      [...s3.objects].map(async ([key, bytes]) => [key, await hashOf(bytes)]),
    ),
  );
  assertEquals(sent, await filesOf(world.backupsFolder));
  assertEquals(
    s3.requests.filter((request) => request.startsWith("PUT")).at(-1),
    "PUT manifest.json",
  );
  assertEquals(await bucket.list(), [name]);
  s3.requests.length = 0;
  await copyBackup(backup, bucket, watcher);
  assertEquals(s3.requests.filter((request) => request.endsWith(".pdf")), []);
});

Deno.test("A bucket that refuses the last file has no backup, and the folder has a whole one", async () => {
  await using world = await filledWorld();
  await using s3 = startS3();
  s3.intercept = ({ method, url }) =>
    method === "PUT" && url.endsWith("manifest.json")
      ? new Response("full", { status: 507 })
      : undefined;
  const bucket = createS3Store(s3.store, outsideOf(), []);
  const store = createDirectoryStore(world.backupsFolder);
  const backup = await makeBackup(sourceOf(world), store, watcher);
  await assertRejects(() => copyBackup(backup, bucket, watcher));
  assertEquals([await bucket.list(), await store.list()], [[], [backup.manifest.name]]);
});

Deno.test("A bucket with another document of the same name gets a backup that can be restored, and says what it lacks", async () => {
  await using world = await filledWorld();
  await using s3 = startS3();
  const bucket = createS3Store(s3.store, outsideOf(), []);
  await bucket.documents.put("contract-1-4521-v1.pdf", new TextEncoder().encode("a lost one"));
  const store = createDirectoryStore(world.backupsFolder);
  const copy = await copyBackup(await makeBackup(sourceOf(world), store, watcher), bucket, watcher);
  assertEquals([copy.manifest.documents, await verifyBackup(copy, watcher)], [[], []]);
  assertStringIncludes(copy.manifest.problems.join(), "other bytes are there");
  const { manifest } = await openBackup(bucket, copy.manifest.name);
  assertEquals(manifest.problems, copy.manifest.problems);
});

async function hashOf(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex();
}
