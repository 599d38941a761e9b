import { assertEquals } from "@std/assert";
import type { Schedule } from "../../lib/contract.ts";
import { fireDueSlots } from "../../lib/flow/schedule.ts";
import { freshApp, type TestApp } from "../support/app.ts";

const atNight: Schedule = {
  name: "backup",
  kind: "work",
  dailyAt: "02:30",
  timeZone: "Europe/Berlin",
};
const often: Schedule = { name: "often", kind: "work", everyMinutes: 5 };
const morning: Schedule = { name: "report", kind: "work", dailyAt: "09:00" };

Deno.test("a brand-new schedule does not run for the past, whether it repeats or is daily (rule 16)", async () => {
  await using app = await freshApp({ schedules: [often, morning] });
  assertEquals(await fire(app, "2026-05-04T15:01:00Z"), []);
  assertEquals(await fire(app, "2026-05-04T15:04:59Z"), []);
  assertEquals(await fire(app, "2026-05-04T15:05:00Z"), ["often 2026-05-04T15:05Z"]);
  assertEquals(await fire(app, "2026-05-05T09:00:30Z"), [
    "often 2026-05-05T09:00Z",
    "report 2026-05-05",
  ]);
});

Deno.test("a schedule first seen before its first time runs at that time", async () => {
  await using app = await freshApp({ schedules: [morning] });
  assertEquals(await fire(app, "2026-05-04T08:00:00Z"), []);
  assertEquals(await fire(app, "2026-05-04T09:00:00Z"), ["report 2026-05-04"]);
});

Deno.test("three days of downtime cost one late run, not hundreds (rule 16)", async () => {
  await using app = await freshApp({ schedules: [often] });
  await fire(app, "2026-05-04T10:00:00Z");
  assertEquals(await fire(app, "2026-05-07T10:03:00Z"), ["often 2026-05-07T10:00Z late"]);
  assertEquals(await fire(app, "2026-05-07T10:04:00Z"), []);
});

Deno.test("a daily run missed by minutes is caught up on the same day, and marked", async () => {
  await using app = await freshApp({ schedules: [morning] });
  await fire(app, "2026-05-03T12:00:00Z");
  assertEquals(await fire(app, "2026-05-04T08:59:00Z"), []);
  assertEquals(await fire(app, "2026-05-04T09:03:00Z"), ["report 2026-05-04 late"]);
  assertEquals(await fire(app, "2026-05-05T23:59:00Z"), ["report 2026-05-05 late"]);
});

Deno.test("a slot taken up within two ticks is not late", async () => {
  await using app = await freshApp({ schedules: [morning] });
  await fire(app, "2026-05-03T12:00:00Z");
  assertEquals(await fire(app, "2026-05-04T09:01:29Z"), ["report 2026-05-04"]);
});

Deno.test("in the night without 02:30 the daily run comes once, at the first moment after", async () => {
  await using app = await freshApp({ schedules: [atNight] });
  await fire(app, "2026-03-28T12:00:00Z");
  assertEquals(await fireThrough(app, "2026-03-29T00:00:00Z", "2026-03-29T03:00:00Z"), [
    "01:30 backup 2026-03-29",
  ]);
});

Deno.test("in the night with two 02:30 the daily run comes once, also after a restart between them", async () => {
  await using app = await freshApp({ schedules: [atNight] });
  await fire(app, "2026-10-24T12:00:00Z");
  assertEquals(await fireThrough(app, "2026-10-25T00:00:00Z", "2026-10-25T03:00:00Z"), [
    "00:30 backup 2026-10-25",
  ]);
});

Deno.test("three workers that tick together give one job a slot, and two schedules of one kind their own", async () => {
  await using app = await freshApp({
    schedules: [{ ...often, everyMinutes: 1 }, { ...often, name: "twin", everyMinutes: 1 }],
    connection: { max: 9 },
  });
  await fire(app, "2026-05-04T10:00:00Z");
  for (let minute = 1; minute <= 20; minute++) {
    const at = Temporal.Instant.from("2026-05-04T10:00:00Z").add({ minutes: minute });
    await Promise.all([0, 3, 6].map((seconds) => fireDueSlots(app, at.add({ seconds }))));
  }
  assertEquals(await app.rows`select count(*)::int, count(distinct key)::int as keys from jobs`, [
    { count: 40, keys: 40 },
  ]);
});

Deno.test("restarts more frequent than the interval do not keep it from running", async () => {
  await using app = await freshApp({ schedules: [often] });
  const fired = await fireThrough(app, "2026-05-04T10:00:00Z", "2026-05-04T10:21:00Z");
  assertEquals(fired.length, 4, "each call begins with no memory but the database's");
});

Deno.test("slots survive the deletion of all jobs", async () => {
  await using app = await freshApp({ schedules: [morning] });
  await fire(app, "2026-05-03T12:00:00Z");
  await fire(app, "2026-05-04T09:00:00Z");
  await app.db.sql`delete from jobs`;
  assertEquals(await fire(app, "2026-05-04T09:30:00Z"), []);
});

Deno.test("without a given instant the database's clock decides (rule 19)", async () => {
  await using app = await freshApp({ schedules: [{ ...often, everyMinutes: 1 }] });
  await app.db.sql`insert into schedules (name, last_slot) values ('often', '2001-01-01T00:00Z')`;
  await fireDueSlots(app);
  const [job] = await app.rows`
    select payload->>'slot' as slot, to_char(now() at time zone 'UTC', 'YYYY-MM-DD"T"HH24') as hour from jobs`;
  assertEquals(job!.slot.slice(0, 13), job!.hour);
});

/** Ticks at an instant, and gives the slots that it fired. */
async function fire(app: TestApp, at: string): Promise<string[]> {
  const before = app.lines.length;
  await fireDueSlots(app, Temporal.Instant.from(at));
  return app.lines.slice(before).map(({ properties: { schedule, slot, late } }) =>
    `${schedule} ${slot}${late ? " late" : ""}`
  );
}

/** Ticks twice a minute, and gives the slots with the time of their tick. */
async function fireThrough(app: TestApp, from: string, to: string): Promise<string[]> {
  const all: string[] = [];
  const end = Temporal.Instant.from(to);
  for (
    let at = Temporal.Instant.from(from);
    Temporal.Instant.compare(at, end) < 0;
    at = at.add({ seconds: 30 })
  ) {
    const fired = await fire(app, at.toString());
    all.push(...fired.map((slot) => `${at.toString().slice(11, 16)} ${slot}`));
  }
  return all;
}
