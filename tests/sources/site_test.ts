import { assert, assertEquals, assertNotEquals, assertThrows } from "@std/assert";
import { createHmac } from "node:crypto";
import { site } from "../../lib/sources/site.ts";
import { deliveryOf } from "./support.ts";

const source = site.create({ SITE_WEBHOOK_SECRET: ["new-secret", "old-secret"] });

function signed(body: string | Uint8Array<ArrayBuffer>, more: Record<string, string> = {}) {
  const hex = createHmac("sha256", "new-secret").update(body).digest("hex");
  return deliveryOf(body, { "x-signature": hex, ...more });
}

Deno.test("verify() accepts both ways to write the text of a body that is not ASCII", () => {
  for (const body of ['{"n":"Жук 😀 é"}', '{"n":"\\u0416\\u0443\\u043a \\ud83d\\ude00 \\u00e9"}']) {
    assertEquals(source.verify(signed(body)), { ok: true, secret: 0 });
  }
});

Deno.test("verify() looks at the bytes, and not at the JSON they stand for", () => {
  const body = '{ "b":1,\r\n "a" : 1.0, "u":"\u2028", "z":1e2 }\n';
  const delivery = signed(body);
  assertEquals(source.verify(delivery), { ok: true, secret: 0 });
  const compact = JSON.stringify(JSON.parse(body));
  const signature = delivery.headers.get("x-signature")!;
  assertEquals(source.verify(deliveryOf(compact, { "x-signature": signature })), {
    ok: false,
    why: "it matches none of the secrets",
  });
});

Deno.test("verify() takes a signature with and without sha256= before it, and no more than that", () => {
  const hex = createHmac("sha256", "new-secret").update("{}").digest("hex");
  const okFor = (signature: string) =>
    (source.verify(deliveryOf("{}", { "x-signature": signature })) as { ok: boolean }).ok;
  assertEquals(okFor(hex), true);
  assertEquals(okFor(`sha256=${hex}`), true);
  assertEquals(okFor(`sha256=sha256=${hex}`), false);
  assertEquals(okFor(`sha1=${hex}`), false);
  assertEquals(okFor("sha256="), false);
});

Deno.test("verify() tells which secret matched, so that the old one can be retired", () => {
  const hex = createHmac("sha256", "old-secret").update("{}").digest("hex");
  assertEquals(source.verify(deliveryOf("{}", { "x-signature": hex })), { ok: true, secret: 1 });
});

Deno.test("verify() refuses a delivery without signature, whatever it holds", () => {
  for (const body of ["", "{}", '{"type":"ping"}', new Uint8Array([0, 0xff])]) {
    assert(!(source.verify(deliveryOf(body)) as { ok: boolean }).ok);
  }
});

Deno.test("verify() is as strict with a form's content type, and signs the form's own text", () => {
  const type = { "content-type": "application/x-www-form-urlencoded" };
  assertEquals(source.verify(signed("payload=%7B%22id%22%3A1%7D", type)), { ok: true, secret: 0 });
});

Deno.test("dedupKey() keeps every digit, so that two large ids are two events", () => {
  assertEquals(source.dedupKey(deliveryOf('{"id":9007199254740993}')), "9007199254740993");
  assertEquals(source.dedupKey(deliveryOf('{"id":9007199254740992}')), "9007199254740992");
});

Deno.test("dedupKey() takes text and integers, and knows none when there is no id", () => {
  assertEquals(source.dedupKey(deliveryOf('{"id":"a-1"}')), "a-1");
  assertEquals(source.dedupKey(deliveryOf('{"id":0}')), "0");
  for (const body of ["{}", '{"id":null}', '{"id":""}']) {
    assertEquals(source.dedupKey(deliveryOf(body)), undefined);
  }
});

Deno.test("dedupKey() refuses an id that is no id, instead of making two forms one", () => {
  for (const id of ["true", "{}", "[]", "1.5", "1e300"]) {
    assertThrows(() => source.dedupKey(deliveryOf(`{"id":${id}}`)), TypeError, "id is neither");
  }
});

Deno.test("route() hands the whole form on, with all digits", () => {
  assertEquals(source.route(deliveryOf('{"id":9007199254740993,"a":{"b":[1]}}')), [{
    kind: "site.form",
    payload: { form: { id: "9007199254740993", a: { b: [1] } } },
  }]);
});

Deno.test("route() says why a body that is no JSON object has no job", () => {
  const type = { "content-type": "application/x-www-form-urlencoded" };
  for (const body of ["", "payload=%7B%22id%22%3A1%7D", "name=a&mail=b", "{"]) {
    const delivery = deliveryOf(body, type);
    assertThrows(() => source.route(delivery), TypeError, "as JSON");
    assertThrows(() => source.dedupKey(delivery), TypeError, "as JSON");
  }
  for (const body of ["[]", "null", "1", '"text"']) {
    assertThrows(() => source.route(deliveryOf(body)), TypeError, "not a JSON object");
  }
  assertThrows(() => source.route(deliveryOf(new Uint8Array([0x7b, 0xff]))), TypeError);
});

Deno.test("sample() is proven, routed, and never a repeat of the one before", () => {
  const [one, two] = [source.sample(), source.sample()].map(({ headers, body }) =>
    deliveryOf(body, headers)
  );
  assertEquals(source.verify(one!), { ok: true, secret: 0 });
  assertEquals(source.route(one!).length, 1);
  assertNotEquals(source.dedupKey(one!), source.dedupKey(two!));
});

Deno.test("The header of the proof is named, so that it is not stored", () => {
  assertEquals(source.secretHeaders, ["x-signature"]);
});
