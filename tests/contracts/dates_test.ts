import { assertEquals } from "@std/assert";
import { calendarDate, longDate } from "../../lib/contracts/dates.ts";

Deno.test("calendarDate() gives the day of the stated zone, not that of the machine", () => {
  const instant = new Date("2026-11-30T21:30:00Z");
  assertEquals(calendarDate(instant, "Europe/Moscow"), "2026-12-01");
  assertEquals(calendarDate(instant, "UTC"), "2026-11-30");
  assertEquals(calendarDate(instant, "Asia/Vladivostok"), "2026-12-01");
  assertEquals(calendarDate(instant, "America/New_York"), "2026-11-30");
});

Deno.test("longDate() writes the month in the genitive, and is never broken over two lines", () => {
  assertEquals(longDate("2026-12-01"), "1\u00a0декабря\u00a02026\u00a0г.");
  assertEquals(longDate("2027-05-31"), "31\u00a0мая\u00a02027\u00a0г.");
});
