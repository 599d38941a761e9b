import { assert, assertEquals } from "@std/assert";
import { backoffSeconds, retryAfterSeconds } from "../../lib/base/backoff.ts";

const unspread = () => 0.5;

Deno.test("backoffSeconds() spans 21 minutes over eight attempts, with no pause above 640 s (rule 12)", () => {
  const pauses = [1, 2, 3, 4, 5, 6, 7].map((attempts) => backoffSeconds(attempts, unspread));
  assertEquals(pauses, [10, 20, 40, 80, 160, 320, 640]);
  assertEquals(pauses.reduce((sum, pause) => sum + pause), 1270);
});

Deno.test("backoffSeconds() never overflows, even after a billion attempts (rule 12)", () => {
  for (const attempts of [10, 31, 63, 1000, 1e9]) {
    assertEquals(backoffSeconds(attempts, unspread), 3600);
  }
  assertEquals(backoffSeconds(9, unspread), 2560);
});

Deno.test("backoffSeconds() never sends a job back at once, even when it is counted from zero", () => {
  assertEquals(backoffSeconds(0, unspread), 10);
});

Deno.test("backoffSeconds() spreads jobs that failed together by a fifth either way (rule 12)", () => {
  assertEquals(backoffSeconds(1, () => 0), 8);
  assertEquals(Math.round(backoffSeconds(1, () => 1)), 12);
  assertEquals(Math.round(backoffSeconds(1000, () => 1)), 4320);
});

Deno.test("retryAfterSeconds() never comes back sooner than it was asked to (rule 13)", () => {
  assertEquals(retryAfterSeconds(30, () => 0), 30);
  assertEquals(retryAfterSeconds(30, () => 1), 36);
});

Deno.test("retryAfterSeconds() gives in to no wish beyond a day (rule 13)", () => {
  for (const asked of [86_401, 315_360_000, Infinity]) {
    assertEquals(retryAfterSeconds(asked, () => 0), 86_400);
  }
});

Deno.test("retryAfterSeconds() never hammers when it was asked for nothing sensible", () => {
  for (const asked of [0, -5, NaN]) assert(retryAfterSeconds(asked, () => 0) >= 1);
});
