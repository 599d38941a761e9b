import { assertEquals, assertStringIncludes } from "@std/assert";
import { createDirectoryStore } from "../../lib/backup/directory_store.ts";
import { keepDocuments } from "../../lib/backup/documents.ts";
import { createDirectoryStorage } from "../../lib/contracts/directory_storage.ts";
import type { DocumentStorage } from "../../lib/contracts/storage.ts";
import { sha256 } from "../../lib/contracts/storage.ts";
import { tempFolder, watcher } from "./support.ts";

const ONE = new TextEncoder().encode("one");
const hash = await sha256(ONE);

async function places() {
  const temp = await tempFolder();
  const store = createDirectoryStore(`${temp.path}/backups`);
  await store.begin("hookwork-20261201T031500Z");
  const reads: string[] = [];
  const storage = createDirectoryStorage(`${temp.path}/documents`);
  const from: DocumentStorage = {
    ...storage,
    get: (name) => (reads.push(name), storage.get(name)),
  };
  return { store, from, reads, [Symbol.asyncDispose]: () => temp[Symbol.asyncDispose]() };
}

Deno.test("A document that an earlier backup left in the store is not read again, and belongs to this one too", async () => {
  await using place = await places();
  const { store, from, reads } = place;
  await from.put("a.pdf", ONE);
  const files = [{ path: "a.pdf", sha256: hash }];
  const first = await keepDocuments(files, from, store, watcher);
  assertEquals(first, { documents: [{ name: "a.pdf", sha256: hash }], problems: [] });
  assertEquals([await keepDocuments(files, from, store, watcher), reads], [first, ["a.pdf"]]);
});

Deno.test("A document that is stored and not yet recorded is kept, and one that is not stored yet is not missed", async () => {
  await using place = await places();
  const { store, from } = place;
  await from.put("a.pdf", ONE);
  const files = [{ path: "a.pdf", sha256: null }, { path: "b.pdf", sha256: null }];
  assertEquals(await keepDocuments(files, from, store, watcher), {
    documents: [{ name: "a.pdf", sha256: hash }],
    problems: [],
  });
});

Deno.test("A document that is lost or damaged is told of, does not get into the backup, and holds up no other", async () => {
  await using place = await places();
  const { store, from } = place;
  for (const name of ["damaged.pdf", "good.pdf"]) await from.put(name, ONE);
  const files = [
    { path: "lost.pdf", sha256: hash },
    { path: "damaged.pdf", sha256: "b".repeat(64) },
    { path: "good.pdf", sha256: hash },
  ];
  const { documents, problems } = await keepDocuments(files, from, store, watcher);
  assertEquals(documents, [{ name: "good.pdf", sha256: hash }]);
  assertEquals(problems.length, 2);
  assertStringIncludes(problems[0]!, "lost.pdf is not in the storage");
  assertStringIncludes(problems[1]!, "damaged.pdf is not the one that was recorded");
  assertEquals([...await store.listDocuments()], ["good.pdf"]);
});

Deno.test("A damaged document is no loss where an earlier backup has the right one", async () => {
  await using place = await places();
  const { store, from } = place;
  await store.documents.put("a.pdf", ONE);
  await from.put("a.pdf", new TextEncoder().encode("damaged"));
  const kept = await keepDocuments([{ path: "a.pdf", sha256: hash }], from, store, watcher);
  assertEquals(kept.documents, [{ name: "a.pdf", sha256: hash }]);
});

Deno.test("A contract that was made anew after a restore is not taken for the lost one of the same name", async () => {
  await using place = await places();
  const { store, from } = place;
  await store.documents.put("a.pdf", new TextEncoder().encode("the lost one"));
  await from.put("a.pdf", ONE);
  const files = [{ path: "a.pdf", sha256: hash }];
  const { documents, problems } = await keepDocuments(files, from, store, watcher);
  assertEquals(documents, []);
  assertStringIncludes(problems.join(), "other bytes are there");
});
