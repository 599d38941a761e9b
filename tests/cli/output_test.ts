import { assertEquals } from "@std/assert";
import { jsonOutput, pageOf, textOutput } from "../../lib/cli/output.ts";
import { memoryHost, page } from "./support.ts";

const EVIL = "\x1b[2J\x9b31m\u202e";

Deno.test("textOutput() shows terminal controls instead of obeying them, even when a rendering forgot to", () => {
  assertEquals(
    textOutput(EVIL, (value) => `a\n${value}`, page),
    "a\n\\u001b[2J\\u009b31m\\u202e\n",
  );
});

Deno.test("jsonOutput() is one JSON document without controls that reads back as the same value", () => {
  const value = { id: "9223372036854775807", evil: EVIL, at: new Date(0), none: null };
  const text = jsonOutput(value);
  // deno-lint-ignore no-control-regex
  assertEquals(/[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]/.test(text), false);
  assertEquals(JSON.parse(text), { ...value, at: "1970-01-01T00:00:00.000Z" });
});

Deno.test("pageOf() shows UTC when TZ is missing or no time zone, so that no command fails for it", () => {
  const zones = [{}, { TZ: "" }, { TZ: "Mars/Base" }, { TZ: "Asia/Tokyo" }];
  const times = zones.map((environment) =>
    pageOf(memoryHost({ environment: environment as Record<string, string> }).host).time(
      new Date(0),
    )
  );
  assertEquals(times, [
    "1970-01-01 00:00:00+00:00",
    "1970-01-01 00:00:00+00:00",
    "1970-01-01 00:00:00+00:00",
    "1970-01-01 09:00:00+09:00",
  ]);
});
