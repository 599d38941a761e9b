import { assertEquals } from "@std/assert";
import { formatTime, readTime } from "../../lib/cli/time.ts";

Deno.test("formatTime() names the zone, so that nobody takes local time for UTC", () => {
  const time = new Date("2026-03-01T21:30:05.999Z");
  assertEquals(formatTime(time, "Europe/Moscow"), "2026-03-02 00:30:05+03:00");
  assertEquals(formatTime(time, "UTC"), "2026-03-01 21:30:05+00:00");
});

Deno.test("formatTime() shows a date without end, which a hand may have put into a table, instead of breaking the command", () => {
  assertEquals(formatTime(new Date(NaN), "Europe/Moscow"), "never");
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

Deno.test("readTime() takes spans before now, dates of the time zone, and what formatTime() has written", () => {
  const now = new Date("2026-03-01T12:00:00Z");
  const times = {
    "90m": "2026-03-01T10:30:00.000Z",
    "2h": "2026-03-01T10:00:00.000Z",
    "3d": "2026-02-26T12:00:00.000Z",
    "2026-02-01": "2026-01-31T21:00:00.000Z",
    "2026-02-01T09:05": "2026-02-01T06:05:00.000Z",
    "2026-02-01 09:05:00+03:00": "2026-02-01T06:05:00.000Z",
    "2026-02-01T09:05:00-0330": "2026-02-01T12:35:00.000Z",
    "2026-02-01T09:05:00.123Z": "2026-02-01T09:05:00.123Z",
  };
  for (const [text, time] of Object.entries(times)) {
    assertEquals(readTime(text, now, "Europe/Moscow")?.toISOString(), time, text);
  }
});

Deno.test("readTime() guesses nothing: what it does not know is no time", () => {
  const texts = [
    "",
    "2",
    "2 hours",
    "-2h",
    "yesterday",
    "2026-02-30",
    "09:05",
    "1e9d",
    "2026-13-01",
  ];
  for (const text of texts) assertEquals(readTime(text, new Date(), "UTC"), undefined, text);
});
