import { assertEquals, assertRejects } from "@std/assert";
import { createS3Store } from "../../lib/backup/s3_store.ts";
import { PermanentError, TemporaryError } from "../../lib/base/errors.ts";
import { type FakeS3, startS3 } from "../contracts/s3_server.ts";
import { outsideOf } from "../contracts/support.ts";

const NAME = "hookwork-20261201T031500Z";
const BYTES = new TextEncoder().encode("rows");
const storeOf = ({ store }: FakeS3) => createS3Store(store, outsideOf(), [1, 1, 1]);

Deno.test("A backup in a bucket is whole by its manifest, and stops being whole first when it is removed", async () => {
  await using s3 = startS3();
  const store = storeOf(s3);
  await store.begin(NAME);
  await store.write(NAME, "a.gz", BYTES);
  assertEquals([await store.list(), await store.listHalf()], [[], [NAME]]);
  await store.seal(NAME, BYTES);
  assertEquals([await store.list(), await store.listHalf()], [[NAME], []]);
  assertEquals(await store.read(NAME, "a.gz"), BYTES);
  await store.documents.put("contract.pdf", BYTES);
  s3.requests.length = 0;
  await store.remove(NAME);
  assertEquals(s3.requests.filter((request) => request.startsWith("DELETE")), [
    "DELETE manifest.json",
    "DELETE a.gz",
  ]);
  assertEquals([...s3.objects.keys()], ["documents/contract.pdf"]);
  assertEquals([...await store.listDocuments()], ["contract.pdf"]);
});

Deno.test("A store that is busy for a moment does not cost the night's backup, and one that stays so does", async () => {
  await using s3 = startS3();
  let busy = 3;
  s3.intercept = () => busy-- > 0 ? new Response("SlowDown", { status: 503 }) : undefined;
  await storeOf(s3).write(NAME, "a.gz", BYTES);
  assertEquals(s3.objects.get(`${NAME}/a.gz`), BYTES);
  busy = 4;
  await assertRejects(() => storeOf(s3).documents.put("contract.pdf", BYTES), TemporaryError);
});

Deno.test("Keys that are refused are not tried again, and are in no error", async () => {
  await using s3 = startS3();
  const store = createS3Store({ ...s3.store, secretKey: "wr0ng-key" }, outsideOf(), [1, 1, 1]);
  const error = await assertRejects(() => store.write(NAME, "a.gz", BYTES), PermanentError, "403");
  assertEquals([s3.requests.length, error.message.includes("wr0ng-key")], [1, false]);
});
