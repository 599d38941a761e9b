import { assertEquals, assertRejects } from "@std/assert";
import { PermanentError } from "../../lib/base/errors.ts";
import { createDirectoryStorage } from "../../lib/contracts/directory_storage.ts";
import { sha256 } from "../../lib/contracts/storage.ts";

const NAME = "contract-1-2-v1.pdf";
const BYTES = new TextEncoder().encode("%PDF-1.3 one");
const OTHER = new TextEncoder().encode("%PDF-1.3 two");

async function tempFolder() {
  const path = await Deno.makeTempDir({ prefix: "hookwork-storage-" });
  return { path, [Symbol.asyncDispose]: () => Deno.remove(path, { recursive: true }) };
}

async function filesOf(folder: string): Promise<string[]> {
  const entries = await Array.fromAsync(Deno.readDir(folder));
  return entries.filter(({ isFile }) => isFile).map(({ name }) => name);
}

Deno.test("A file that was put is there with its bytes, in a folder that was not there before", async () => {
  await using temp = await tempFolder();
  const storage = createDirectoryStorage(`${temp.path}/deep/documents`);
  assertEquals([await storage.exists(NAME), await storage.get(NAME)], [false, undefined]);
  const stored = await storage.put(NAME, BYTES);
  assertEquals(stored, {
    path: `${temp.path}/deep/documents/${NAME}`,
    sha256: await sha256(BYTES),
  });
  assertEquals([await storage.exists(NAME), await storage.get(NAME)], [true, BYTES]);
  assertEquals(await filesOf(`${temp.path}/deep/documents`), [NAME]);
});

Deno.test("The same file put again changes nothing, another one of its name is refused and leaves it as it is", async () => {
  await using temp = await tempFolder();
  const storage = createDirectoryStorage(temp.path);
  const first = await storage.put(NAME, BYTES);
  assertEquals(await storage.put(NAME, BYTES), first);
  await assertRejects(() => storage.put(NAME, OTHER), PermanentError, "other bytes are there");
  assertEquals(await storage.get(NAME), BYTES);
  assertEquals(await filesOf(`${temp.path}/.partial`), []);
});

Deno.test("Of many who put different files under one name at once, one wins and the others hear of it", async () => {
  await using temp = await tempFolder();
  const storage = createDirectoryStorage(temp.path);
  const puts = Array.from(
    { length: 20 },
    (_, index) => storage.put(NAME, index % 2 === 0 ? BYTES : OTHER),
  );
  const results = await Promise.allSettled(puts);
  const stored = await storage.get(NAME);
  const winners = results.filter(({ status }) => status === "fulfilled").length;
  assertEquals(winners, 10);
  assertEquals([BYTES, OTHER].some((bytes) => String(bytes) === String(stored)), true);
  assertEquals(await filesOf(temp.path), [NAME]);
});

Deno.test("What a process left half written is no file, and goes away with the next put of its name", async () => {
  await using temp = await tempFolder();
  await Deno.mkdir(`${temp.path}/.partial`);
  await Deno.writeFile(`${temp.path}/.partial/${NAME}.killed`, BYTES.subarray(0, 3));
  await Deno.writeFile(`${temp.path}/.partial/another.pdf.1`, BYTES);
  const storage = createDirectoryStorage(temp.path);
  assertEquals(await storage.exists(NAME), false);
  await storage.put(NAME, BYTES);
  assertEquals(await storage.get(NAME), BYTES);
  assertEquals(await filesOf(`${temp.path}/.partial`), ["another.pdf.1"]);
});

Deno.test("A name that leads out of the folder is refused by all three", async () => {
  await using temp = await tempFolder();
  const storage = createDirectoryStorage(`${temp.path}/documents`);
  await assertRejects(() => storage.put("../out.pdf", BYTES), PermanentError);
  await assertRejects(() => storage.get("../out.pdf"), PermanentError);
  await assertRejects(() => storage.exists("../out.pdf"), PermanentError);
  assertEquals(await filesOf(temp.path), []);
});
