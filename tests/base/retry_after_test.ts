import { assertEquals } from "@std/assert";
import { parseRetryAfter } from "../../lib/base/retry_after.ts";

const now = new Date("2026-10-21T07:00:00Z");

Deno.test("parseRetryAfter() reads seconds", () => {
  assertEquals(parseRetryAfter("120", now), 120);
  assertEquals(parseRetryAfter(" 7 ", now), 7);
});

Deno.test("parseRetryAfter() waits until the date instead of hammering the server (rule 13)", () => {
  assertEquals(parseRetryAfter("Wed, 21 Oct 2026 07:28:00 GMT", now), 1680);
  const lateInSecond = new Date("2026-10-21T07:27:58.900Z");
  assertEquals(parseRetryAfter("Wed, 21 Oct 2026 07:28:00 GMT", lateInSecond), 2);
  assertEquals(parseRetryAfter("Wednesday, 21-Oct-26 07:28:00 GMT", now), 1680);
});

Deno.test("parseRetryAfter() never waits longer than a day, even when asked for ten years", () => {
  assertEquals(parseRetryAfter("Wed, 21 Oct 2036 07:28:00 GMT", now), 86_400);
  assertEquals(parseRetryAfter("9".repeat(400), now), 86_400);
});

Deno.test("parseRetryAfter() leaves it to the backoff when the time has passed", () => {
  assertEquals(parseRetryAfter("Wed, 21 Oct 2026 06:28:00 GMT", now), undefined);
  assertEquals(parseRetryAfter("0", now), undefined);
});

Deno.test("parseRetryAfter() takes no nonsense for a time", () => {
  const nonsense = [
    null,
    "",
    "soon",
    "-5",
    "1.5",
    "1e3",
    "2036-10-21",
    "Wed, 99 Foo 2026 07:28:00 GMT",
  ];
  for (const header of nonsense) assertEquals(parseRetryAfter(header, now), undefined, `${header}`);
});
