import { assertEquals, assertThrows } from "@std/assert";
import { parseJson, parseJsonBytes } from "../../lib/base/json.ts";

Deno.test("parseJson() keeps two 64-bit ids apart that a number would make one", () => {
  assertEquals(parseJson('{"a":9007199254740993,"b":9007199254740992,"c":-9007199254740993}'), {
    a: "9007199254740993",
    b: "9007199254740992",
    c: "-9007199254740993",
  });
});

Deno.test("parseJson() leaves numbers alone that are exact or were never integers", () => {
  const text =
    '{"a":9007199254740991,"b":0.12345678901234567,"c":-0,"d":"9007199254740993","e":[1]}';
  assertEquals(parseJson(text), JSON.parse(text));
});

Deno.test("parseJson() keeps the digits of integers inside arrays and at the top", () => {
  assertEquals(parseJson("[[12345678901234567890]]"), [["12345678901234567890"]]);
  assertEquals(parseJson("12345678901234567890"), "12345678901234567890");
});

Deno.test("parseJson() lets no sender set a prototype, however __proto__ is spelled", () => {
  for (const name of ["__proto__", "\\u005f_proto__", "__pr\\u006Fto__"]) {
    const parsed = parseJson(`{"${name}":{"admin":true},"a":{"${name}":1}}`) as { a: object };
    assertEquals(Object.keys(parsed), ["a"]);
    assertEquals(Object.keys(parsed.a), []);
    assertEquals(Object.getPrototypeOf(Object.assign({}, parsed)), Object.prototype);
  }
});

Deno.test("parseJson() throws a SyntaxError at what is not JSON", () => {
  for (const text of ["", "{", "{a:1}", "12345678901234567890x"]) {
    assertThrows(() => parseJson(text), SyntaxError);
  }
});

Deno.test("parseJsonBytes() refuses bytes that are not UTF-8 instead of altering them", () => {
  assertThrows(() => parseJsonBytes(new Uint8Array([0x22, 0xff, 0x22])), TypeError);
  assertEquals(parseJsonBytes(new TextEncoder().encode('{"имя":"Ия"}')), { "имя": "Ия" });
});
