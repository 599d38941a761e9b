import { assertEquals } from "@std/assert";
import { insertDeliveries } from "../../lib/db/events.ts";
import { listEventIds } from "../../lib/db/events_bulk.ts";
import { freshApp } from "../support/app.ts";
import { deliveryRow } from "../support/jobs.ts";

Deno.test("listEventIds() gives one source's events of a span in order, so that none is replayed twice or left out", async () => {
  await using app = await freshApp();
  const sources = ["site", "site", "telegram", "site", "site", "site"];
  await insertDeliveries(app.db, sources.map((source) => deliveryRow({ source })));
  await app.rows`
    update events set received_at = timestamptz '2026-03-01 00:00Z' + id * interval '1 hour'`;
  const from = new Date("2026-03-01T02:00:00Z");
  const to = new Date("2026-03-01T06:00:00Z");
  assertEquals(await listEventIds(app.db, { source: "site", from, to }), ["2", "4", "5"]);
  assertEquals(await listEventIds(app.db, { source: "site", from, to, after: "4" }), ["5"]);
  assertEquals(await listEventIds(app.db, { source: "site", from: to, to: from }), []);
});
