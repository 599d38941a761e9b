import { assert, assertEquals, assertMatch } from "@std/assert";
import { UnavailableError } from "../../lib/flow/intake.ts";
import { MAX_BODY_BYTES } from "../../lib/web/hook.ts";
import { recording, SECRET_PATH, secretive, signed, signingWith, testReceiver } from "./support.ts";

const BODY = '{"id":"e1"}';
const delivered = { method: "POST", body: BODY, headers: signed(BODY) };

Deno.test("a proven delivery is answered 202 with its event and the number of its jobs", async () => {
  await using receiver = testReceiver();
  const response = await receiver.fetch("/hooks/signing", delivered);
  assertEquals(response.status, 202);
  assertEquals(await response.json(), { id: "1", jobs: 1 });
  assertEquals(receiver.stored.length, 1);
});

Deno.test("the bytes that are stored are those that were signed, also when they are not text", async () => {
  const body = new Uint8Array([0x7b, 0x00, 0xff, 0xfe, 0x7d]);
  await using receiver = testReceiver();
  const init = { method: "POST", body, headers: signed(body) };
  assertEquals((await receiver.fetch("/hooks/signing", init)).status, 202);
  assertEquals(receiver.stored[0]!.body, body);
});

Deno.test("a source is told the address of the peer, and not what a header claims", async () => {
  const { source, seen } = recording();
  await using receiver = testReceiver({ source });
  const headers = { ...delivered.headers, "x-forwarded-for": "203.0.113.9" };
  await receiver.fetch("/hooks/signing?a=1", { ...delivered, headers });
  assertEquals([seen[0]!.remote, seen[0]!.url.search], ["192.0.2.7", "?a=1"]);
});

Deno.test("a repeat is a success, never an error, and the log says whose repeat it is", async () => {
  const repeated = () => Promise.resolve({ id: null, jobs: 0 });
  await using receiver = testReceiver({ store: repeated });
  const response = await receiver.fetch("/hooks/signing", delivered);
  assertEquals(response.status, 202);
  assertEquals((await response.json()).duplicate, true);
  const line = receiver.app.lines.find((line) => line.message.startsWith("duplicate of event"));
  assertEquals(line?.properties.source, "signing");
});

Deno.test("a delivery that its source cannot route is kept, accepted and reported", async () => {
  const source = signingWith({
    route() {
      throw new Error("no such form");
    },
  });
  await using receiver = testReceiver({ source });
  const response = await receiver.fetch("/hooks/signing", delivered);
  assertEquals([response.status, (await response.json()).jobs], [202, 0]);
  assertEquals(receiver.stored[0]!.jobs, []);
  const line = receiver.app.lines.find((line) => line.level === "error");
  assertMatch(String(line?.properties.why), /no such form/);
});

Deno.test("a source may answer in its own words, and learns what became of the delivery", async () => {
  const source = signingWith({ accepted: (_delivery, { id }) => new Response(`stored as ${id}`) });
  await using receiver = testReceiver({ source });
  const response = await receiver.fetch("/hooks/signing", delivered);
  assertEquals([response.status, await response.text()], [200, "stored as 1"]);
});

Deno.test("a delivery that could not be stored is asked for again, and not lost with a 2xx", async () => {
  const store = () => Promise.reject(new UnavailableError("Cannot store the delivery now"));
  await using receiver = testReceiver({ store });
  const response = await receiver.fetch("/hooks/signing", delivered);
  assertEquals([response.status, response.headers.get("retry-after")], [503, "5"]);
  assert(!(await response.text()).includes("database"));
});

Deno.test("a request without its signature, or with an empty one, is refused", async () => {
  await using receiver = testReceiver();
  for (const signature of [undefined, "", " "]) {
    const headers = signature === undefined ? undefined : { "x-signature": signature };
    const response = await receiver.fetch("/hooks/signing", { ...delivered, headers });
    assertEquals(response.status, 401);
  }
  assertEquals(receiver.stored, []);
});

Deno.test("a signature of any other form is refused with 401, never with 500", async () => {
  await using receiver = testReceiver();
  const hex = signed(BODY)["x-signature"]!;
  const base64 = Uint8Array.fromHex(hex).toBase64();
  const forms = [hex.slice(1), `${hex}0`, "z".repeat(64), base64, "a".repeat(65_536), "sha256="];
  for (const signature of forms) {
    const headers = { "x-signature": signature };
    const response = await receiver.fetch("/hooks/signing", { ...delivered, headers });
    assertEquals(response.status, 401, signature.slice(0, 70));
  }
  const upperCase = { "x-signature": hex.toUpperCase() };
  const response = await receiver.fetch("/hooks/signing", { ...delivered, headers: upperCase });
  assertEquals([response.status, receiver.stored.length], [202, 1]);
});

Deno.test("why a proof failed is told to the operator and not to whoever guesses", async () => {
  await using receiver = testReceiver();
  const headers = { "x-signature": "00" };
  const response = await receiver.fetch("/hooks/signing", { ...delivered, headers });
  const [why] = receiver.refusals;
  assert(why && !(await response.text()).includes(why));
});

Deno.test("no content is looked at before the signature: a ping with a wrong one gets 401", async () => {
  await using receiver = testReceiver({
    source: signingWith({
      dedupKey() {
        throw new Error("looked at");
      },
    }),
  });
  const headers = { "x-github-event": "ping", "x-signature": "0".repeat(64) };
  assertEquals((await receiver.fetch("/hooks/signing", { ...delivered, headers })).status, 401);
  assertEquals([receiver.stored, receiver.app.lines], [[], []]);
});

Deno.test("a compressed body gets 415 that names what is taken, under each of the two signatures", async () => {
  const packed = new Uint8Array(
    await new Response(
      new Blob([BODY]).stream().pipeThrough(new CompressionStream("gzip")),
    ).arrayBuffer(),
  );
  await using receiver = testReceiver();
  for (const signature of [signed(BODY), signed(packed)]) {
    const headers = { ...signature, "content-encoding": "gzip" };
    const init = { method: "POST", body: packed, headers };
    const response = await receiver.fetch("/hooks/signing", init);
    assertEquals([response.status, response.headers.get("accept-encoding")], [415, "identity"]);
    assertMatch(await response.text(), /identity/);
  }
  assertEquals(receiver.stored, []);
});

Deno.test("the content encoding that changes nothing is taken, in any letter case", async () => {
  await using receiver = testReceiver();
  const headers = { ...delivered.headers, "content-encoding": "Identity" };
  assertEquals((await receiver.fetch("/hooks/signing", { ...delivered, headers })).status, 202);
});

Deno.test("a hook takes POST only and says so, also to a sender's handshake", async () => {
  await using receiver = testReceiver();
  for (const method of ["GET", "HEAD", "OPTIONS", "PUT", "DELETE"]) {
    const response = await receiver.fetch("/hooks/signing?challenge=abc", { method });
    assertEquals([response.status, response.headers.get("allow")], [405, "POST"], method);
    assert(!(await response.text()).includes("abc"));
  }
  assertEquals(receiver.stored, []);
});

Deno.test("a body over the cap gets 413 and leaves nothing behind", async () => {
  await using receiver = testReceiver();
  const body = new Uint8Array(MAX_BODY_BYTES + 1);
  const init = { method: "POST", body, headers: signed(body) };
  assertEquals((await receiver.fetch("/hooks/signing", init)).status, 413);
  assertEquals(receiver.stored, []);
});

Deno.test("a source may take larger or smaller bodies than the others", async () => {
  await using receiver = testReceiver({ source: signingWith({ maxBodyBytes: 10 }) });
  const response = await receiver.fetch("/hooks/signing", delivered);
  assertEquals(response.status, 413);
  assertMatch(await response.text(), /10 bytes/);
});

Deno.test("a secret in the path proves a delivery and goes no further: not to the source's code, not to a row", async () => {
  const seen: string[] = [];
  const source = signingWith({
    ...secretive,
    route(delivery) {
      seen.push(delivery.url.href, JSON.stringify([delivery, [...delivery.headers]]));
      return [];
    },
  });
  await using receiver = testReceiver({ source });
  const path = `/hooks/signing/${SECRET_PATH}`;
  const headers = { "X-Forwarded-Uri": `${path}?a=1`, "x-kept": "yes" };
  const response = await receiver.fetch(`${path}?a=1`, { ...delivered, headers });
  assertEquals(response.status, 202);
  const [row] = receiver.stored;
  assertEquals([row!.path, row!.query, row!.headers["x-kept"]], [
    "/hooks/signing/***",
    "?a=1",
    "yes",
  ]);
  assertEquals(seen[0], "http://127.0.0.1/hooks/signing/***?a=1");
  assert(!JSON.stringify([row, seen, receiver.app.lines]).includes(SECRET_PATH));
});

Deno.test("a path without the secret, or with a wrong one, is 401 and leaves the guess nowhere", async () => {
  await using receiver = testReceiver({ source: secretive });
  const guess = SECRET_PATH.toUpperCase();
  for (const path of ["/hooks/signing", `/hooks/signing/${guess}`, "/hooks/signing/***"]) {
    assertEquals((await receiver.fetch(path, delivered)).status, 401, path);
  }
  assertEquals(receiver.stored, []);
  assert(!JSON.stringify([receiver.refusals, receiver.app.lines]).includes(guess));
});

Deno.test("only a source whose secret is in the path has anything below its name", async () => {
  await using receiver = testReceiver({ source: secretive });
  const path = `/hooks/signing/${SECRET_PATH}`;
  for (
    const deeper of [`${path}/`, `${path}/x`, `/hooks/signing//${SECRET_PATH}`, "/hooks/signing/"]
  ) {
    assertEquals((await receiver.fetch(deeper, delivered)).status, 404, deeper);
  }
  assertEquals((await receiver.fetch(path)).status, 405);
  await using other = testReceiver();
  assertEquals((await other.fetch(path, delivered)).status, 404);
});
