import { assertEquals, assertThrows } from "@std/assert";
import { InvalidArgumentError } from "commander";
import { limitOption, parseHttpsUrl, parseHttpUrl, parseId } from "../../lib/cli/arguments.ts";

Deno.test("parseId() keeps every digit of the largest bigint", () => {
  assertEquals(parseId("9223372036854775807"), "9223372036854775807");
  assertEquals(parseId("007"), "7");
});

Deno.test("parseId() refuses what Postgres would refuse, before it is asked", () => {
  for (
    const text of ["abc", "", "0", "-1", "1.5", "1e3", " 1", "9223372036854775808", "9".repeat(20)]
  ) {
    assertThrows(() => parseId(text), InvalidArgumentError, "whole number from 1 to 92233");
  }
});

Deno.test("the limit is a number of rows that a person can read, never all of a large table", () => {
  const parse = (text: string) => limitOption().parseArg!(text, undefined);
  assertEquals(parse("1000"), 1000);
  for (const text of ["0", "1001", "-3", "all", "1.5"]) {
    assertThrows(() => parse(text), InvalidArgumentError, "from 1 to 1000");
  }
});

Deno.test("parseHttpsUrl() refuses an address that Telegram would never call", () => {
  assertEquals(
    parseHttpsUrl("https://a.example/hooks/telegram"),
    "https://a.example/hooks/telegram",
  );
  for (const text of ["http://a.example/", "a.example", "", "javascript:1"]) {
    assertThrows(() => parseHttpsUrl(text), InvalidArgumentError, "https://");
  }
});

Deno.test("parseHttpUrl() refuses a receiver's address without a scheme, which would be taken for one", () => {
  assertEquals(parseHttpUrl("http://127.0.0.1:8080"), "http://127.0.0.1:8080/");
  for (const text of ["localhost:8080", "ftp://a.example", ""]) {
    assertThrows(() => parseHttpUrl(text), InvalidArgumentError, "http://");
  }
});
