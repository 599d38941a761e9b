import { assertEquals } from "@std/assert";
import { formatSeconds } from "../../lib/base/span.ts";

Deno.test("formatSeconds() shows the two largest units, and no negative span when clocks differ", () => {
  const spans = [-5, 0.4, 59.9, 60, 3661, 7200, 90_000, 86_401, 40_000_000];
  assertEquals(spans.map(formatSeconds), [
    "0 s",
    "0 s",
    "59 s",
    "1 min",
    "1 h 1 min",
    "2 h",
    "1 d 1 h",
    "1 d",
    "462 d 23 h",
  ]);
});
