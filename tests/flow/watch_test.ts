import { assertEquals, assertStringIncludes } from "@std/assert";
import { watchOutage } from "../../lib/flow/outage.ts";
import { startTick } from "../../lib/flow/tick.ts";
import { watchSilence } from "../../lib/flow/watch.ts";
import { site } from "../../lib/sources/site.ts";
import { freshApp } from "../support/app.ts";

const sources = { site: site.create({ SITE_WEBHOOK_SECRET: ["secret"] }) };

Deno.test("a receiver that comes back notes the time without one, and a worker's tick does not speak for it", async () => {
  await using app = await freshApp({ sources });
  const outage = watchOutage(app, "receiver");
  await startTick(app, outage, { schedules: false }).stop();
  await app.rows`update source_watch set taken_until = now() - interval '1 hour'`;
  await startTick(app, outage, { schedules: true }).stop();
  assertEquals(await app.rows`select source from gaps`, []);
  await startTick(app, outage, { schedules: false }).stop();
  assertEquals(await app.rows`select source from gaps`, [{ source: "site" }]);
  assertEquals(app.lines.filter(({ level }) => level === "warn").length, 1);
});

Deno.test("a source that is silent for longer than is normal makes one alert, and one that speaks makes none", async () => {
  await using app = await freshApp({ sources, env: { EXPECT_EVENTS: "site:12" } });
  await startTick(app, watchOutage(app, "receiver"), { schedules: false }).stop();
  const after = async (hours: number) => {
    await app.rows`update source_watch set since = now() - make_interval(hours => ${hours})`;
    await watchSilence(app);
    return await app.rows`select topic, pending, last_text from alerts`;
  };
  assertEquals(await after(11), []);
  await after(13);
  const [alert, ...more] = await after(14);
  assertEquals([alert?.topic, alert?.pending, more.length], ["source site silent", 1, 0]);
  assertStringIncludes(alert?.last_text, "silent for 13 h");
});
