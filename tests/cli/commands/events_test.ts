import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { insertDeliveries } from "../../../lib/db/events.ts";
import { freshApp } from "../../support/app.ts";
import { deliveryRow } from "../../support/jobs.ts";
import { cli } from "../support.ts";

Deno.test("events lists the newest first, and with --errors only what could not be routed", async () => {
  await using app = await freshApp();
  await insertDeliveries(app.db, [
    deliveryRow({ source: "site", dedupKey: "1" }),
    deliveryRow({ source: "site", dedupKey: "2", error: "it is no form" }),
    deliveryRow({ source: "telegram", dedupKey: "3" }),
  ]);
  const keys = async (...args: string[]) => {
    const { output } = await cli(app.config.DATABASE_URL, ["events", "--json", ...args]);
    return JSON.parse(output).map((event: { dedupKey: string }) => event.dedupKey);
  };
  assertEquals(await keys(), ["3", "2", "1"]);
  assertEquals(await keys("--errors"), ["2"]);
  assertEquals(await keys("--source", "site", "--limit", "1"), ["2"]);
  const { output } = await cli(app.config.DATABASE_URL, ["events", "--errors"]);
  assertStringIncludes(output, "it is no form");
  assert(output.split("\n").length === 3);
});
