import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { PermanentError, TemporaryError } from "../../lib/base/errors.ts";
import { createS3Storage } from "../../lib/contracts/s3_storage.ts";
import { sha256 } from "../../lib/contracts/storage.ts";
import { startS3 } from "./s3_server.ts";
import { outsideOf } from "./support.ts";

const NAME = "contract-1-2-v1.pdf";
const BYTES = new TextEncoder().encode("%PDF-1.3 one");
const OTHER = new TextEncoder().encode("%PDF-1.3 two");

Deno.test("A file that was put into the bucket can be read again, with requests that are signed", async () => {
  await using s3 = startS3();
  const storage = createS3Storage(s3.store, outsideOf());
  assertEquals([await storage.exists(NAME), await storage.get(NAME)], [false, undefined]);
  const stored = await storage.put(NAME, BYTES);
  assertEquals(stored, { path: `s3://contracts/${NAME}`, sha256: await sha256(BYTES) });
  assertEquals([await storage.exists(NAME), await storage.get(NAME)], [true, BYTES]);
  assertEquals([...s3.objects.keys()], [NAME]);
});

Deno.test("A wrong secret key is refused for good, and is not in the error", async () => {
  await using s3 = startS3();
  const storage = createS3Storage({ ...s3.store, secretKey: "wr0ng-key" }, outsideOf());
  for (const ask of [storage.put(NAME, BYTES), storage.get(NAME), storage.exists(NAME)]) {
    const error = await assertRejects(() => ask, PermanentError, "403");
    assertEquals(error.message.includes("wr0ng-key"), false);
  }
});

Deno.test("The same file put again changes nothing, another one of its name is refused", async () => {
  await using s3 = startS3();
  const storage = createS3Storage(s3.store, outsideOf());
  const first = await storage.put(NAME, BYTES);
  assertEquals(await storage.put(NAME, BYTES), first);
  await assertRejects(() => storage.put(NAME, OTHER), PermanentError, "other bytes are there");
  assertEquals(s3.objects.get(NAME), BYTES);
  assertEquals(s3.requests.filter((request) => request.startsWith("PUT")).length, 1);
});

Deno.test("A put that another process overtakes is told apart by the store, and replaces nothing", async () => {
  for (const [winner, outcome] of [[BYTES, "stored"], [OTHER, "refused"]] as const) {
    await using s3 = startS3();
    s3.intercept = ({ method }) => {
      if (method === "PUT") s3.objects.set(NAME, winner);
      return undefined;
    };
    const put = createS3Storage(s3.store, outsideOf()).put(NAME, BYTES);
    if (outcome === "stored") assertEquals((await put).sha256, await sha256(BYTES));
    else await assertRejects(() => put, PermanentError, "other bytes are there");
    assertEquals(s3.objects.get(NAME), winner);
  }
});

Deno.test("A store that knows no conditions replaces no file either: a look goes before the put", async () => {
  await using s3 = startS3();
  s3.knowsConditions = false;
  s3.objects.set(NAME, OTHER);
  const storage = createS3Storage(s3.store, outsideOf());
  await assertRejects(() => storage.put(NAME, BYTES), PermanentError, "other bytes are there");
  assertEquals(s3.objects.get(NAME), OTHER);
});

Deno.test("A store that is slow or busy is tried again, one without the bucket is not", async () => {
  await using s3 = startS3();
  const hanging = Promise.withResolvers<Response>();
  const quick = createS3Storage(s3.store, outsideOf({ deadlineSeconds: 0.1 }));
  s3.intercept = () => hanging.promise;
  await assertRejects(() => quick.put(NAME, BYTES), TemporaryError, "no whole answer");
  hanging.resolve(new Response(null, { status: 500 }));
  const storage = createS3Storage(s3.store, outsideOf());
  s3.intercept = () => new Response("SlowDown", { status: 503 });
  await assertRejects(() => storage.get(NAME), TemporaryError, "503");
  s3.intercept = ({ method }) =>
    method === "PUT" ? new Response("ConditionalRequestConflict", { status: 409 }) : undefined;
  await assertRejects(() => storage.put(NAME, BYTES), TemporaryError, "409");
  s3.intercept = () => undefined;
  const other = createS3Storage({ ...s3.store, bucket: "nowhere" }, outsideOf());
  await assertRejects(() => other.put(NAME, BYTES), PermanentError, "404");
});

Deno.test("A job in shadow reads the store and puts nothing", async () => {
  await using s3 = startS3();
  const storage = createS3Storage(s3.store, outsideOf({ shadow: true }));
  assertEquals(await storage.exists(NAME), false);
  const error = await assertRejects(() => storage.put(NAME, BYTES), PermanentError);
  assertStringIncludes(error.message, "shadow");
  assertEquals(s3.objects.size, 0);
});
