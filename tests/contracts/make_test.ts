import { assertEquals, assertRejects } from "@std/assert";
import { TemporaryError } from "../../lib/base/errors.ts";
import { type DocumentKey, documentPath } from "../../lib/contracts/documents.ts";
import { findFinished, makeContract, type NewContract } from "../../lib/contracts/make.ts";
import { type NumberFormat, parseNumberFormat } from "../../lib/contracts/numbers.ts";
import type { Pdf } from "../../lib/contracts/renderer.ts";
import { checkSame, type DocumentStorage, sha256 } from "../../lib/contracts/storage.ts";
import { freshApp, type TestApp } from "../support/app.ts";

const KEY: DocumentKey = { accountId: "1", leadId: "4521", templateVersion: "v1" };
const bytesOf = (text: string) => new TextEncoder().encode(text);

/** Keeps files in memory; `before` each put may be anything. */
function memoryStorage(files: Map<string, Pdf>, before: () => void = () => {}): DocumentStorage {
  return {
    get: (name) => Promise.resolve(files.get(name)),
    exists: (name) => Promise.resolve(files.has(name)),
    probe: () => Promise.resolve("memory"),
    async put(name, bytes) {
      before();
      if (!files.has(name)) files.set(name, bytes);
      return await checkSame(name, files.get(name)!, await sha256(bytes));
    },
  };
}

/** Prints the number, and how often it was asked. */
function printer() {
  const made = { count: 0 };
  const contract: NewContract = {
    format: parseNumberFormat("{0000}") as NumberFormat,
    timeZone: "Europe/Moscow",
    print: ({ number }) => Promise.resolve(bytesOf(`${number} printed ${++made.count}`)),
  };
  return { made, contract };
}

const storeOf = (app: TestApp, storage: DocumentStorage) => ({ sql: app.handlerDb.sql, storage });

Deno.test("makeContract() gives whoever comes second the first one's number and file, and prints nothing", async () => {
  await using app = await freshApp();
  const { made, contract } = printer();
  const store = storeOf(app, memoryStorage(new Map()));
  assertEquals(await findFinished(store, KEY), undefined);
  const first = await makeContract(store, KEY, contract);
  assertEquals(await makeContract(store, KEY, contract), first);
  assertEquals(await findFinished(store, KEY), first);
  assertEquals([first.number, made.count], ["0001", 1]);
});

Deno.test("A file that was stored before its process died is recorded and not printed again, though a print would differ", async () => {
  await using app = await freshApp();
  const { made, contract } = printer();
  const files = new Map<string, Pdf>();
  const store = storeOf(app, memoryStorage(files));
  const dying = { ...contract, print: () => Promise.reject(new Error("killed")) };
  await assertRejects(() => makeContract(store, KEY, dying), Error, "killed");
  files.set(documentPath(KEY), bytesOf("0001, stored by the dead"));
  const found = await findFinished(store, KEY);
  assertEquals(found?.sha256, await sha256(files.get(documentPath(KEY))!));
  assertEquals((await makeContract(store, KEY, contract)).sha256, found!.sha256);
  assertEquals(made.count, 0);
});

Deno.test("When a frozen attempt stores its own print first, that file stays and is the one that is recorded", async () => {
  await using app = await freshApp();
  const { contract } = printer();
  const files = new Map<string, Pdf>();
  const first = bytesOf("0001, by the frozen one");
  const storage = memoryStorage(files, () => files.set(documentPath(KEY), first));
  const made = await makeContract(storeOf(app, storage), KEY, contract);
  assertEquals(made.sha256, await sha256(first));
  assertEquals([...files.values()], [first]);
});

Deno.test("A storage that times out keeps the number for the next attempt", async () => {
  await using app = await freshApp();
  const { contract } = printer();
  const down = memoryStorage(new Map(), () => {
    throw new TemporaryError("Cannot store the contract: no answer");
  });
  await assertRejects(() => makeContract(storeOf(app, down), KEY, contract), TemporaryError);
  assertEquals(await findFinished(storeOf(app, down), KEY), undefined);
  const store = storeOf(app, memoryStorage(new Map()));
  assertEquals((await makeContract(store, KEY, contract)).number, "0001");
  assertEquals((await makeContract(store, { ...KEY, leadId: "1" }, contract)).number, "0002");
});
