import { assertEquals } from "@std/assert";
import { createRate } from "../../../demo/fake_amocrm/rate.ts";
import { clientOf, start } from "./support.ts";

function rateAt(strikes = 3) {
  const clock = { ms: 0 };
  const rate = createRate({ perSecond: 7, strikes, blockMs: 5000, clock: () => clock.ms });
  const calls = (count: number) => Array.from({ length: count }, () => rate.admit());
  return { clock, rate, calls };
}

Deno.test("Seven calls in any second are taken, also across the border of two seconds", () => {
  const { clock, rate, calls } = rateAt();
  assertEquals(new Set(calls(7)), new Set(["taken"]));
  clock.ms = 999;
  assertEquals(calls(1), ["too_many"]);
  clock.ms = 2000;
  assertEquals(calls(7).at(-1), "taken");
  assertEquals(rate.highest, 8);
});

Deno.test("Whoever does not listen is blocked for a while, whatever the rate then is", () => {
  const { clock, calls } = rateAt();
  assertEquals(calls(10).slice(7), ["too_many", "too_many", "too_many"]);
  clock.ms = 4999;
  assertEquals(calls(1), ["blocked"]);
  clock.ms = 6000;
  assertEquals(calls(1), ["taken"]);
});

Deno.test("Calls too many that lie far apart make no block", () => {
  const { clock, calls } = rateAt();
  for (let round = 0; round < 5; round++) {
    clock.ms += 10_001;
    assertEquals(calls(8).at(-1), "too_many");
  }
});

Deno.test("The API answers 429 and then 403 with pages that are no JSON, and tells its highest rate", async () => {
  await using fake = await start({ perSecond: 2, strikes: 3, clock: () => 0 });
  const call = clientOf(fake);
  const answers = [];
  for (let count = 0; count < 6; count++) answers.push(await call("GET", "/api/v4/account"));
  assertEquals(answers.map(({ status }) => status), [200, 200, 429, 429, 429, 403]);
  assertEquals(answers[3]!.headers.get("content-type"), "text/html");
  assertEquals(answers[5]!.text.startsWith("<html>"), true);
  assertEquals([fake.counts().highestRate, fake.counts().calls], [6, 6]);
});

Deno.test("block() blocks every call at once, and lets them through again", async () => {
  await using fake = await start();
  const call = clientOf(fake);
  fake.block(60);
  assertEquals((await call("GET", "/api/v4/account")).status, 403);
  fake.block(0);
  assertEquals((await call("GET", "/api/v4/account")).status, 200);
});
