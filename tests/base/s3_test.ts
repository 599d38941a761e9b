import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { PermanentError, TemporaryError } from "../../lib/base/errors.ts";
import { openBucket, s3StoreOf } from "../../lib/base/s3.ts";
import { startS3 } from "../contracts/s3_server.ts";
import { outsideOf } from "../contracts/support.ts";

const USE = { what: "backup", deadlineSeconds: 5, maxObjectBytes: 1000 };
const BYTES = new TextEncoder().encode("one");
const TYPE = { type: "application/octet-stream" };

Deno.test("A listing goes on to its last page, whose keys would else look as if they were not there", async () => {
  await using s3 = startS3();
  s3.pageSize = 2;
  const objects = openBucket(s3.store, USE, outsideOf());
  const keys = ["a/1", "a/2", "a/3", "b/1", "c d&e/1"];
  for (const key of keys) s3.objects.set(key, BYTES);
  assertEquals(await objects.list(""), keys);
  assertEquals(await objects.list("a/"), ["a/1", "a/2", "a/3"]);
  assertEquals(await objects.list("", { folders: true }), ["a/", "b/", "c d&e/"]);
  assertEquals(await objects.list("z"), []);
});

Deno.test("An object under a folder can be put, read and removed; one that is gone is no error", async () => {
  await using s3 = startS3();
  const objects = openBucket(s3.store, USE, outsideOf());
  assertEquals(await objects.put("a/b.gz", BYTES, TYPE), true);
  assertEquals([await objects.exists("a/b.gz"), await objects.get("a/b.gz")], [true, BYTES]);
  await objects.remove("a/b.gz");
  await objects.remove("a/b.gz");
  assertEquals([await objects.exists("a/b.gz"), await objects.get("a/b.gz")], [false, undefined]);
});

Deno.test("A put on condition says that the key is taken, and leaves what is there", async () => {
  await using s3 = startS3();
  const objects = openBucket(s3.store, USE, outsideOf());
  const other = new TextEncoder().encode("two");
  assertEquals(await objects.put("a", BYTES, { ...TYPE, ifAbsent: true }), true);
  assertEquals(await objects.put("a", other, { ...TYPE, ifAbsent: true }), false);
  assertEquals(s3.objects.get("a"), BYTES);
});

Deno.test("A refusal to list or remove is an error that says what was tried, not an empty list", async () => {
  await using s3 = startS3();
  const wrong = openBucket({ ...s3.store, secretKey: "wr0ng-key" }, USE, outsideOf());
  await assertRejects(() => wrong.list("a"), PermanentError, "look for the backup in the store");
  await assertRejects(() => wrong.remove("a"), PermanentError, "remove the backup");
  s3.intercept = () => new Response("SlowDown", { status: 503 });
  await assertRejects(() => openBucket(s3.store, USE, outsideOf()).list("a"), TemporaryError);
});

Deno.test("A store that is half set up is refused by the name of what is missing", () => {
  const half = { bucket: "b", region: "r", endpoint: "https://s3.example.com", accessKey: "k" };
  assertThrows(() => s3StoreOf("BACKUP", half), PermanentError, "BACKUP_S3_SECRET_KEY is not");
  assertEquals(s3StoreOf("BACKUP", { ...half, secretKey: "s" }), { ...half, secretKey: "s" });
});
