import { assertEquals, assertStringIncludes } from "@std/assert";
import { insertDeliveries } from "../../lib/db/events.ts";
import { watchProofs } from "../../lib/flow/proofs.ts";
import { freshApp, type TestApp } from "../support/app.ts";
import { deliveryRow } from "../support/jobs.ts";
import { until } from "../support/until.ts";

Deno.test("ten refusals in a row of a sender who used to be believed make one alert, and a thousand no more", async () => {
  await using app = await freshApp();
  await insertDeliveries(app.db, [deliveryRow()]);
  const proofs = watchProofs(app);
  for (let n = 0; n < 1000; n++) proofs.refused("site", "the signature differs", "192.0.2.1");
  await until("the alert is there", async () => (await alerts(app)).length > 0);
  const [alert] = await alerts(app);
  assertEquals([alert!.topic, alert!.pending], ["source site not proven", 1]);
  assertStringIncludes(alert!.last_text, "the signature differs");
});

Deno.test("a stranger who guesses at a source that never delivered alerts nobody", async () => {
  await using app = await freshApp();
  await insertDeliveries(app.db, [deliveryRow({ source: "telegram" })]);
  const proofs = watchProofs(app);
  const refuse = (source: string) => {
    for (let n = 0; n < 10; n++) proofs.refused(source, "no signature", "192.0.2.1");
  };
  refuse("site");
  refuse("telegram");
  await until("the alert of the other is there", async () => (await alerts(app)).length > 0);
  assertEquals((await alerts(app)).map(({ topic }) => topic), ["source telegram not proven"]);
});

Deno.test("a proven delivery between refusals ends their run", async () => {
  await using app = await freshApp();
  await insertDeliveries(app.db, [deliveryRow()]);
  const proofs = watchProofs(app);
  for (let n = 0; n < 100; n++) {
    proofs.refused("site", "no signature", "192.0.2.1");
    if (n % 9 === 8) proofs.proven("site");
  }
  await app.rows`select pg_sleep(0.05)`;
  assertEquals(await alerts(app), []);
});

Deno.test("whoever guesses cannot fill the log", async () => {
  await using app = await freshApp();
  const proofs = watchProofs(app);
  for (let n = 0; n < 1000; n++) proofs.refused("site", "no signature", "192.0.2.1");
  assertEquals(app.lines.length, 10);
  assertEquals(app.lines.at(-1)!.properties.run, 512);
});

Deno.test("a database that is away costs the alert, not the receiver", async () => {
  await using app = await freshApp();
  const proofs = watchProofs(app);
  await app.db.sql`drop table alerts, jobs, events`;
  for (let n = 0; n < 10; n++) proofs.refused("site", "no signature", "192.0.2.1");
  await until("it is logged", () => app.lines.some(({ level }) => level === "error"));
});

const alerts = (app: TestApp) => app.rows`select topic, pending, last_text from alerts`;
