import { assertEquals, assertRejects } from "@std/assert";
import { createDirectoryStore } from "../../lib/backup/directory_store.ts";
import { RefusedError } from "../../lib/base/errors.ts";
import { tempFolder } from "./support.ts";

const NAME = "hookwork-20261201T031500Z";
const BYTES = new TextEncoder().encode("rows");

Deno.test("A backup is listed and can be read once it is sealed, and not a moment before", async () => {
  await using temp = await tempFolder();
  const store = createDirectoryStore(`${temp.path}/made/here`);
  assertEquals([await store.list(), await store.listHalf()], [[], []]);
  await store.begin(NAME);
  await store.write(NAME, "00-events.0000.copy.gz", BYTES);
  assertEquals([await store.list(), await store.listHalf()], [[], [NAME]]);
  assertEquals(await store.read(NAME, "00-events.0000.copy.gz"), undefined);
  await store.seal(NAME, new TextEncoder().encode("{}"));
  assertEquals([await store.list(), await store.listHalf()], [[NAME], []]);
  assertEquals(await store.read(NAME, "00-events.0000.copy.gz"), BYTES);
  assertEquals(await store.read(NAME, "none"), undefined);
});

Deno.test("Backups are for their owner only: they hold what people wrote, and tokens", async () => {
  await using temp = await tempFolder();
  const folder = `${temp.path}/backups`;
  const store = createDirectoryStore(folder);
  await store.begin(NAME);
  await store.seal(NAME, new TextEncoder().encode("{}"));
  for (const path of [folder, `${folder}/${NAME}`, `${folder}/documents`]) {
    assertEquals((await Deno.stat(path)).mode! & 0o077, 0, path);
  }
});

Deno.test("Two backups of one second are not mixed: the second is refused", async () => {
  await using temp = await tempFolder();
  const store = createDirectoryStore(temp.path);
  await store.begin(NAME);
  await assertRejects(() => store.begin(NAME), RefusedError, "in the same second");
  await store.seal(NAME, new TextEncoder().encode("{}"));
  await assertRejects(() => store.begin(NAME), RefusedError, "in the same second");
});

Deno.test("A backup that is removed is gone whole or half, its documents stay, and strange files are left alone", async () => {
  await using temp = await tempFolder();
  const store = createDirectoryStore(temp.path);
  await Deno.mkdir(`${temp.path}/hookwork-of-mine`);
  const other = "hookwork-20261202T031500Z";
  for (const name of [NAME, other]) {
    await store.begin(name);
    await store.write(name, "a", BYTES);
  }
  await store.seal(NAME, new TextEncoder().encode("{}"));
  await store.documents.put("contract.pdf", BYTES);
  await store.remove(NAME);
  await store.remove(other);
  await store.remove(other);
  assertEquals([await store.list(), await store.listHalf()], [[], []]);
  assertEquals([...await store.listDocuments()], ["contract.pdf"]);
  const left = await Array.fromAsync(Deno.readDir(temp.path), ({ name }) => name);
  assertEquals(left.toSorted(), [".partial", "documents", "hookwork-of-mine"]);
});

Deno.test("A folder with the name of a backup and without a manifest is none", async () => {
  await using temp = await tempFolder();
  await Deno.mkdir(`${temp.path}/${NAME}`);
  assertEquals(await createDirectoryStore(temp.path).list(), []);
});
