import { assert, assertEquals } from "@std/assert";
import {
  fireSlot,
  getDatabaseTime,
  getLastSlots,
  rememberSchedule,
} from "../../lib/db/schedules.ts";
import { CHANNEL } from "../../lib/db/jobs.ts";
import { freshApp, warmUp } from "../support/app.ts";
import { until } from "../support/until.ts";

const daily = { name: "report", kind: "work", late: false };

Deno.test("a slot gives one job, even when twenty processes fire it at the same instant (rule 16)", async () => {
  await using app = await freshApp({ connection: { max: 10 } });
  await warmUp(app, 10);
  await rememberSchedule(app.db, { name: "report", slot: "2026-03-28" });
  const fired = await Promise.all(
    Array.from({ length: 20 }, () => fireSlot(app.db, { ...daily, slot: "2026-03-29" })),
  );
  assertEquals(fired.filter((id) => id !== undefined).length, 1);
  assertEquals(await app.rows`select key, payload::text from jobs`, [
    { key: "schedule:report:2026-03-29", payload: '{"slot":"2026-03-29","late":false}' },
  ]);
});

Deno.test("a slot does not come back, neither when its job is deleted nor when a clock went back", async () => {
  await using app = await freshApp();
  await rememberSchedule(app.db, { name: "report", slot: "" });
  assert(await fireSlot(app.db, { ...daily, slot: "2026-03-29" }));
  await app.db.sql`delete from jobs`;
  assertEquals(await fireSlot(app.db, { ...daily, slot: "2026-03-29" }), undefined);
  assertEquals(await fireSlot(app.db, { ...daily, slot: "2026-03-28" }), undefined);
  assertEquals(await app.rows`select from jobs`, []);
});

Deno.test("a schedule that nobody has remembered gives no job", async () => {
  await using app = await freshApp();
  assertEquals(await fireSlot(app.db, { ...daily, slot: "2026-03-29" }), undefined);
});

Deno.test("a slot and its job stand or fall together", async () => {
  await using app = await freshApp();
  await rememberSchedule(app.db, { name: "report", slot: "2026-03-28" });
  await app.db.sql`alter table jobs add check (kind <> 'work')`;
  const failed = await fireSlot(app.db, { ...daily, slot: "2026-03-29" }).then(
    () => false,
    () => true,
  );
  assertEquals(failed, true);
  assertEquals((await getLastSlots(app.db)).get("report"), "2026-03-28");
});

Deno.test("rememberSchedule() keeps the slot of a schedule that is known", async () => {
  await using app = await freshApp();
  await rememberSchedule(app.db, { name: "report", slot: "2026-03-28" });
  await rememberSchedule(app.db, { name: "report", slot: "2026-03-30" });
  assertEquals(new Map(await getLastSlots(app.db)), new Map([["report", "2026-03-28"]]));
});

Deno.test("a fired slot wakes the workers", async () => {
  await using app = await freshApp();
  await rememberSchedule(app.db, { name: "report", slot: "" });
  let heard = 0;
  await app.db.sql.listen(CHANNEL, () => void heard++);
  await fireSlot(app.db, { ...daily, slot: "2026-03-29" });
  await until("the notification arrives", () => heard === 1);
});

Deno.test("getDatabaseTime() is the database's clock, whatever time zone the server shows", async () => {
  await using app = await freshApp({ connection: { max: 1 } });
  await app.db.sql`set time zone 'Asia/Kathmandu'`;
  const now = await getDatabaseTime(app.db);
  const [row] = await app.rows`select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms`;
  assert(Math.abs(row!.ms - now.epochMilliseconds) < 2000);
});
