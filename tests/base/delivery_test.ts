import { assertEquals, assertMatch, assertNotEquals, assertThrows } from "@std/assert";
import { bodyKey, createDelivery } from "../../lib/base/delivery.ts";

Deno.test("a delivery's body is read as text and JSON as often as asked", () => {
  const delivery = deliveryOf(new TextEncoder().encode('{"id":"é😀"}'));
  assertEquals([delivery.text(), delivery.text()], Array(2).fill('{"id":"é😀"}'));
  assertEquals([delivery.json(), delivery.json()], Array(2).fill({ id: "é😀" }));
});

Deno.test("an integer that a number would round arrives with its exact digits", () => {
  assertEquals(deliveryOf(new TextEncoder().encode('{"id":9007199254740993}')).json(), {
    id: "9007199254740993",
  });
});

Deno.test("bytes that are not UTF-8 are an error of reading, and stay as they are", () => {
  const delivery = deliveryOf(Uint8Array.of(0xff, 0xfe));
  assertThrows(() => delivery.text(), TypeError, "Cannot read the body: it is not UTF-8");
  assertThrows(() => delivery.json(), TypeError, "Cannot read the body");
  assertEquals(delivery.body, Uint8Array.of(0xff, 0xfe));
});

Deno.test("a body that is not JSON is an error of reading", () => {
  assertThrows(() => deliveryOf(new TextEncoder().encode("a=1")).json(), TypeError, "as JSON");
  assertThrows(() => deliveryOf(new Uint8Array()).json(), TypeError, "as JSON");
});

Deno.test("bodyKey() tells bodies apart by a single byte, and knows the same bytes again", () => {
  const [one, same, other] = ["a=1", "a=1", "a=1&"].map((body) =>
    bodyKey(new TextEncoder().encode(body))
  );
  assertEquals(one, same);
  assertNotEquals(one, other);
  assertMatch(one!, /^sha256:[0-9a-f]{64}$/);
});

function deliveryOf(body: Uint8Array<ArrayBuffer>) {
  const url = new URL("http://localhost/hooks/site");
  return createDelivery({ headers: new Headers(), body, url, remote: "127.0.0.1" });
}
