import { assertEquals } from "@std/assert";
import { formatSeconds, formatTime } from "../../lib/cli/time.ts";

Deno.test("formatTime() names the zone, so that nobody takes local time for UTC", () => {
  const time = new Date("2026-03-01T21:30:05.999Z");
  assertEquals(formatTime(time, "Europe/Moscow"), "2026-03-02 00:30:05+03:00");
  assertEquals(formatTime(time, "UTC"), "2026-03-01 21:30:05+00:00");
});

Deno.test("formatTime() tells the two hours apart that a clock set back shows alike", () => {
  assertEquals(
    formatTime(new Date("2026-10-25T00:30:00Z"), "Europe/Berlin"),
    "2026-10-25 02:30:00+02:00",
  );
  assertEquals(
    formatTime(new Date("2026-10-25T01:30:00Z"), "Europe/Berlin"),
    "2026-10-25 02:30:00+01:00",
  );
});

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
