import { assertEquals, assertRejects } from "@std/assert";
import { makeFolder, unlessMissing, writeDurably } from "../../lib/base/files.ts";
import { createDirectoryStore } from "../../lib/backup/directory_store.ts";
import { tempFolder } from "../backup/support.ts";

const BYTES = new TextEncoder().encode("rows");
/** `nobody` of Debian. */
const SERVICE = 65_534;

Deno.test("writeDurably() replaces no file that is there", async () => {
  await using temp = await tempFolder();
  await writeDurably(`${temp.path}/a`, BYTES);
  await assertRejects(() => writeDurably(`${temp.path}/a`, BYTES), Deno.errors.AlreadyExists);
});

Deno.test("unlessMissing() takes nothing but a missing file for one", async () => {
  await using temp = await tempFolder();
  assertEquals(await unlessMissing(() => Deno.readFile(`${temp.path}/none`)), undefined);
  await assertRejects(() => unlessMissing(() => Deno.readFile(temp.path)));
});

Deno.test({
  name:
    "What root writes belongs to the owner of the folder, who could not write beside it otherwise",
  ignore: Deno.uid() !== 0,
}, async () => {
  await using temp = await tempFolder();
  await Deno.chown(temp.path, SERVICE, SERVICE);
  assertEquals(await makeFolder(temp.path, "a/b"), `${temp.path}/a/b`);
  const store = createDirectoryStore(temp.path);
  const name = "hookwork-20261201T031500Z";
  await store.begin(name);
  await store.write(name, "rows.gz", BYTES);
  await store.seal(name, BYTES);
  await store.documents.put("contract.pdf", BYTES);
  const paths = [".partial", name, `${name}/rows.gz`, `${name}/manifest.json`, "documents"];
  const inner = ["documents/.partial", "documents/contract.pdf"];
  for (const path of [...paths, ...inner]) {
    const { uid, gid } = await Deno.stat(`${temp.path}/${path}`);
    assertEquals([path, uid, gid], [path, SERVICE, SERVICE]);
  }
});
