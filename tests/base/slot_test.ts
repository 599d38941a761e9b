import { assert, assertEquals } from "@std/assert";
import { checkTiming, isTimeZone, latestSlot } from "../../lib/base/slot.ts";
import type { Timing } from "../../lib/contract.ts";

/** The slot's name and instant, as text. */
function slotAt(timing: Timing, now: string, timeZone = "UTC"): string[] | undefined {
  const slot = latestSlot(timing, Temporal.Instant.from(now), timeZone);
  return slot && [slot.name, slot.at.toString()];
}

/** The different slots that a tick every ten minutes sees. */
function slotsSeen(timing: Timing, from: string, to: string): string[] {
  const seen = new Set<string>();
  const end = Temporal.Instant.from(to);
  let now = Temporal.Instant.from(from);
  while (Temporal.Instant.compare(now, end) <= 0) {
    const slot = latestSlot(timing, now, "UTC");
    if (slot) seen.add(`${slot.name} ${slot.at}`);
    now = now.add({ minutes: 10 });
  }
  return [...seen];
}

const berlin = (dailyAt: string): Timing => ({ dailyAt, timeZone: "Europe/Berlin" });
const berlinCron = (cron: string): Timing => ({ cron, timeZone: "Europe/Berlin" });

Deno.test("latestSlot() names one slot of an interval alike in processes that started apart", () => {
  const slot = ["2026-11-30T17:00Z", "2026-11-30T17:00:00Z"];
  for (
    const now of ["2026-11-30T17:00:00Z", "2026-11-30T17:00:03.5Z", "2026-11-30T17:04:59.999Z"]
  ) {
    assertEquals(slotAt({ everyMinutes: 5 }, now), slot);
  }
  assertEquals(slotAt({ everyMinutes: 5 }, "2026-11-30T17:05:00Z")?.[0], "2026-11-30T17:05Z");
});

Deno.test("latestSlot() leaves one run to catch up after three days of downtime", () => {
  assertEquals(slotAt({ everyMinutes: 5 }, "2026-12-03T17:02:00Z")?.[0], "2026-12-03T17:00Z");
  assertEquals(slotAt({ cron: "*/5 * * * *" }, "2026-12-03T17:02:00Z")?.[0], "2026-12-03T17:00Z");
});

Deno.test("latestSlot() catches a missed daily run up until local midnight, and never later", () => {
  const slot = ["2026-11-30", "2026-11-30T06:00:00Z"];
  const moscow: Timing = { dailyAt: "09:00", timeZone: "Europe/Moscow" };
  assertEquals(slotAt(moscow, "2026-11-30T05:59:59.999Z"), undefined);
  assertEquals(slotAt(moscow, "2026-11-30T06:00:00Z"), slot);
  assertEquals(slotAt(moscow, "2026-11-30T20:59:59Z"), slot);
  assertEquals(slotAt(moscow, "2026-11-30T21:00:00Z"), undefined);
});

Deno.test("latestSlot() reads a schedule without time zone in the default one", () => {
  const noon: Timing = { dailyAt: "12:00" };
  assertEquals(slotAt(noon, "2026-11-30T13:00:00Z", "Asia/Almaty")?.[1], "2026-11-30T07:00:00Z");
  const cron: Timing = { cron: "0 12 * * *" };
  assertEquals(slotAt(cron, "2026-11-30T13:00:00Z", "Asia/Almaty")?.[1], "2026-11-30T07:00:00Z");
});

Deno.test("latestSlot() runs a daily job once on the night its time does not exist", () => {
  const seen = slotsSeen(berlin("02:30"), "2026-03-28T22:00:00Z", "2026-03-29T23:50:00Z");
  assertEquals(seen, [
    "2026-03-28 2026-03-28T01:30:00Z",
    "2026-03-29 2026-03-29T01:30:00Z",
  ]);
});

Deno.test("latestSlot() runs a daily job once on the night its time comes twice (rule 16)", () => {
  const seen = slotsSeen(berlin("02:30"), "2026-10-24T22:00:00Z", "2026-10-25T22:50:00Z");
  assertEquals(seen, ["2026-10-25 2026-10-25T00:30:00Z"]);
});

Deno.test("latestSlot() follows a clock change of half an hour", () => {
  const lordHowe = (dailyAt: string): Timing => ({ dailyAt, timeZone: "Australia/Lord_Howe" });
  assertEquals(
    slotsSeen(lordHowe("02:15"), "2026-10-03T14:00:00Z", "2026-10-04T12:00:00Z"),
    ["2026-10-04 2026-10-03T15:45:00Z"],
  );
  assertEquals(
    slotsSeen(lordHowe("01:45"), "2026-04-04T13:00:00Z", "2026-04-05T12:00:00Z"),
    ["2026-04-05 2026-04-04T14:45:00Z"],
  );
});

Deno.test("latestSlot() loses no daily run whose gap reaches beyond midnight", () => {
  const timing: Timing = { dailyAt: "23:30", timeZone: "America/Scoresbysund" };
  const seen = slotsSeen(timing, "2025-03-29T10:00:00Z", "2025-03-31T01:00:00Z");
  assertEquals(seen, [
    "2025-03-29 2025-03-30T01:30:00Z",
    "2025-03-30 2025-03-31T00:30:00Z",
  ]);
});

Deno.test("latestSlot() runs a cron line with a fixed time once in a gap and once in an overlap", () => {
  for (const line of ["30 2 * * *", "30 2 * * SUN"]) {
    const gap = slotAt(berlinCron(line), "2026-03-29T12:00:00Z");
    assertEquals(gap, ["2026-03-29T01:00Z", "2026-03-29T01:00:00Z"]);
    const overlap = slotsSeen(berlinCron(line), "2026-10-25T00:30:00Z", "2026-10-25T22:00:00Z");
    assertEquals(overlap, ["2026-10-25T00:30Z 2026-10-25T00:30:00Z"]);
  }
  const twice = slotsSeen(
    berlinCron("0,30 2 * * *"),
    "2026-10-25T00:00:00Z",
    "2026-10-25T22:00:00Z",
  );
  assertEquals(twice.length, 2);
});

Deno.test("latestSlot() lets a cron line that repeats run through both hours of an overlap", () => {
  const seen = slotsSeen(berlinCron("30 * * * *"), "2026-10-25T00:30:00Z", "2026-10-25T02:30:00Z");
  assertEquals(seen.map((slot) => slot.split(" ")[0]), [
    "2026-10-25T00:30Z",
    "2026-10-25T01:30Z",
    "2026-10-25T02:30Z",
  ]);
});

Deno.test("latestSlot() counts a cron run at the very instant it falls due", () => {
  const cron: Timing = { cron: "0 9 * * MON-FRI" };
  assertEquals(slotAt(cron, "2026-11-30T09:00:00Z")?.[0], "2026-11-30T09:00Z");
  assertEquals(slotAt(cron, "2026-11-30T08:59:59.999Z")?.[0], "2026-11-27T09:00Z");
});

Deno.test("latestSlot() gives names that sort as text in the order of time", () => {
  const timings: Timing[] = [{ everyMinutes: 7 }, berlin("02:30"), berlinCron("30 * * * *")];
  for (const timing of timings) {
    const seen = slotsSeen(timing, "2026-10-24T20:00:00Z", "2026-10-26T05:00:00Z");
    assert(seen.length > 1);
    assertEquals(seen, seen.toSorted());
  }
});

Deno.test("checkTiming() accepts what latestSlot() can use", () => {
  const timings: Timing[] = [
    { everyMinutes: 1 },
    { everyMinutes: 10_080 },
    { dailyAt: "00:00" },
    { dailyAt: "23:59", timeZone: "Asia/Kolkata" },
    { cron: "0 9 * * MON-FRI", timeZone: "Europe/Moscow" },
    { cron: "0 0 29 2 *" },
  ];
  for (const timing of timings) assertEquals(checkTiming(timing), undefined);
});

Deno.test("checkTiming() says what is wrong before a schedule silently never runs", () => {
  const wrong: [Timing, RegExp][] = [
    [{ everyMinutes: 0 }, /from 1 to 10080/],
    [{ everyMinutes: 1.5 }, /whole number/],
    [{ everyMinutes: NaN }, /whole number/],
    [{ everyMinutes: 10_081 }, /10080/],
    [{ dailyAt: "24:00" }, /"24:00"/],
    [{ dailyAt: "9:30" }, /09:30/],
    [{ dailyAt: "02:30:00" }, /09:30/],
    [{ dailyAt: "09:30", timeZone: "Europe/Moskow" }, /Europe\/Moskow/],
    [{ cron: "61 * * * *" }, /minute/],
    [{ cron: "* * * *" }, /cannot be read/],
    [{ cron: "* * * * * *" }, /cannot be read/],
    [{ cron: "0 0 30 2 *" }, /never falls due/],
    [{ cron: "0 9 * * *", timeZone: "" }, /time zone/],
  ];
  for (const [timing, problem] of wrong) {
    assert(problem.test(checkTiming(timing) ?? ""), JSON.stringify(timing));
  }
});

Deno.test("isTimeZone() knows the zones of the system and no others", () => {
  for (const name of ["UTC", "Europe/Berlin", "Asia/Kolkata"]) assert(isTimeZone(name));
  for (const name of ["", "Mars/Base", "Europe/Berlin "]) assert(!isTimeZone(name));
});
