import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { pauseLane } from "../../../lib/db/lanes.ts";
import { freshApp } from "../../support/app.ts";
import { cli } from "../support.ts";

Deno.test("lanes lists what the kinds need, open or not, with the reason of a pause", async () => {
  await using app = await freshApp();
  const list = async () => (await cli(app.config.DATABASE_URL, ["lanes"])).output;
  assertMatch(await list(), /telegram +open/);
  await pauseLane(app.db, { name: "telegram", seconds: 340, reason: "Telegram answered 401" });
  await pauseLane(app.db, { name: "telegram:-100500", seconds: 34, reason: "answered 429" });
  const output = await list();
  assertStringIncludes(output, "paused until");
  assertStringIncludes(output, "Telegram answered 401");
  assertStringIncludes(output, "telegram:-100500");
  const { output: json } = await cli(app.config.DATABASE_URL, ["lanes", "--json"]);
  const lane = JSON.parse(json).find(({ name }: { name: string }) => name === "telegram");
  assertEquals([lane.name, lane.paused, lane.pauses], ["telegram", true, 1]);
  assertEquals(lane.kinds, ["telegram.message"]);
});

Deno.test("lane pauses by hand until it is resumed, and says how to end what it began", async () => {
  await using app = await freshApp();
  const lane = async (...args: string[]) =>
    await cli(app.config.DATABASE_URL, ["lane", "telegram", ...args]);
  const { exitCode, output } = await lane("pause", "--reason", "new bot tonight");
  assertEquals(exitCode, 0);
  assertStringIncludes(output, "paused until resumed");
  assertStringIncludes(output, "paused by hand: new bot tonight");
  assertStringIncludes(output, "hookwork lane telegram resume");
  assertStringIncludes((await lane("resume")).output, "open");
  assertEquals(await app.rows`select since from lanes`, [{ since: null }]);
});

Deno.test("lane refuses a name that no kind uses, naming the one that was meant, and to resume what is open", async () => {
  await using app = await freshApp();
  const refusal = async (...args: string[]) => {
    const { exitCode, errors } = await cli(app.config.DATABASE_URL, ["lane", ...args]);
    assertEquals(exitCode, 1);
    return errors;
  };
  assertStringIncludes(await refusal("telegrm", "pause"), "did you mean telegram?");
  assertStringIncludes(await refusal("telegram", "resume"), "it is not paused");
  for (const args of [["stop"], ["--reason", "for nothing"], ["resume", "--reason", "later"]]) {
    const { exitCode } = await cli(app.config.DATABASE_URL, ["lane", "telegram", ...args]);
    assertEquals(exitCode, 2, args.join(" "));
  }
});
