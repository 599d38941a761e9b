import { assertEquals } from "@std/assert";
import { enqueue } from "../../lib/db/jobs.ts";
import { watchOutage } from "../../lib/flow/outage.ts";
import { startTick, watchOldestDue } from "../../lib/flow/tick.ts";
import { freshApp } from "../support/app.ts";
import { until } from "../support/until.ts";

const often = { name: "often", kind: "work", everyMinutes: 1 };

Deno.test("a tick of a worker fires schedules, and one of a receiver does not", async () => {
  await using app = await freshApp({ schedules: [often] });
  await app.db.sql`insert into schedules (name, last_slot) values ('often', '2001-01-01T00:00Z')`;
  const outage = watchOutage(app, "receiver");
  await startTick(app, outage, { schedules: false }).stop();
  assertEquals(await app.rows`select from jobs`, []);
  await startTick(app, outage, { schedules: true }).stop();
  assertEquals((await app.rows`select kind from jobs`).length, 1);
});

Deno.test("soon() sends an alert at once, without waiting for the next tick", async () => {
  await using app = await freshApp();
  const tick = startTick(app, watchOutage(app, "worker"), { schedules: false });
  await app.db.sql`insert into alerts (topic, pending, last_text) values ('t', 1, 'look')`;
  tick.soon();
  await until("the alert is sent", () => app.told.length === 1);
  await tick.stop();
});

Deno.test("a schedule that fails does not silence the alerts", async () => {
  await using app = await freshApp({ schedules: [often] });
  await app.db.sql`drop table schedules`;
  await app.db.sql`insert into alerts (topic, pending, last_text) values ('t', 1, 'look')`;
  await startTick(app, watchOutage(app, "worker"), { schedules: true }).stop();
  assertEquals(app.told.length, 1);
  assertEquals(app.lines.filter(({ level }) => level === "error").length, 1);
});

Deno.test("a tick tells that no backup succeeds, once they are made", async () => {
  await using app = await freshApp();
  const alerts = async () => {
    await startTick(app, watchOutage(app, "worker"), { schedules: false }).stop();
    return (await app.rows`select topic from alerts`).map(({ topic }) => topic);
  };
  assertEquals(await alerts(), []);
  await app.rows`update backups set begun_at = now() - interval '3 days'`;
  assertEquals(await alerts(), ["backup overdue"]);
});

Deno.test("jobs that wait too long make one alert, also when all workers are dead", async () => {
  await using app = await freshApp({ env: { OLDEST_DUE_ALERT_MINUTES: "5" } });
  await enqueue(app.db, { kind: "work" });
  const late = async (minutes: number) => {
    await app.db.sql`update jobs set run_at = now() - make_interval(mins => ${minutes}::integer)`;
    await watchOldestDue(app);
    return await app.rows`select topic, pending from alerts`;
  };
  assertEquals(await late(4), []);
  assertEquals(await late(6), [{ topic: "oldest due job", pending: 1 }]);
  assertEquals(await late(7), [{ topic: "oldest due job", pending: 1 }]);
});
