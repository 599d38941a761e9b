import { assertEquals, assertThrows } from "@std/assert";
import { JsonText } from "../../lib/cli/json_text.ts";

const same = (text: string) => JSON.stringify({ payload: new JsonText(text) });

Deno.test("JsonText keeps every digit of numbers that no number of JavaScript can hold", () => {
  const text =
    '{"id":12345678901234567890,"price":1.50,"huge":1e999,"deep":[{"n":9007199254740993}]}';
  assertEquals(same(text), `{"payload":${text}}`);
});

Deno.test("JsonText leaves texts that look like numbers or JSON, and __proto__, as they are", () => {
  const text = '{"n":"12345678901234567890","payload":"{\\"a\\":1}","__proto__":{"x":null}}';
  assertEquals(same(text), `{"payload":${text}}`);
});

Deno.test("JsonText passes on what Postgres' text refuses: a zero byte and half a character", () => {
  const text = '{"a":"\\u0000\\ud800"}';
  assertEquals(same(text), `{"payload":${text}}`);
});

Deno.test("JsonText shows people the text as it is stored", () => {
  assertEquals(`${new JsonText('{ "a" :1.0}')}`, '{ "a" :1.0}');
});

Deno.test("JsonText does not hide that a text is not JSON", () => {
  assertThrows(() => same("{"), SyntaxError);
});
