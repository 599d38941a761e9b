import { assert, assertEquals } from "@std/assert";
import { OutcomeUnknownError, PermanentError, TemporaryError } from "../../lib/base/errors.ts";
import { decide, type Ending } from "../../lib/flow/decide.ts";

const threw = (error: unknown): Ending => ({ is: "threw", error });
const middle = () => 0.5;

const TABLE: [name: string, ending: Ending, first: unknown[], last: unknown[]][] = [
  ["done", { is: "done" }, ["done", null, 0, null], ["done", null, 0, null]],
  ["any error", threw(new Error("boom")), ["pending", null, 10, "boom"], [
    "failed",
    "exhausted",
    0,
    "boom",
  ]],
  ["a permanent error", threw(new PermanentError("gone")), ["failed", "permanent", 0, "gone"], [
    "failed",
    "permanent",
    0,
    "gone",
  ]],
  ["an unknown outcome", threw(new OutcomeUnknownError("sent?")), [
    "failed",
    "outcome_unknown",
    0,
    "sent?",
  ], ["failed", "outcome_unknown", 0, "sent?"]],
  ["a temporary error", threw(new TemporaryError("busy")), ["pending", null, 10, "busy"], [
    "failed",
    "exhausted",
    0,
    "busy",
  ]],
  [
    "a bad payload",
    { is: "bad_payload", why: "no name" },
    ["failed", "bad_payload", 0, "no name"],
    [
      "failed",
      "bad_payload",
      0,
      "no name",
    ],
  ],
  ["a deadline", { is: "timeout", seconds: 60 }, ["pending", null, 10, "No end after 60 s"], [
    "failed",
    "timeout",
    0,
    "No end after 60 s",
  ]],
  ["a shutdown", { is: "interrupted" }, ["pending", null, 0, null], ["pending", null, 0, null]],
];

for (const [name, ending, first, last] of TABLE) {
  Deno.test(`decide() after ${name}, at the first attempt and at the last`, () => {
    const decided = [1, 3].map((attempts) => {
      const { status, reason, delaySeconds, error } = decide(
        { attempts, maxAttempts: 3 },
        ending,
        middle,
      );
      return [status, reason, delaySeconds, error];
    });
    assertEquals(decided, [first, last]);
  });
}

Deno.test("only an interruption gives the attempt back", () => {
  for (const [_, ending] of TABLE) {
    const { refund } = decide({ attempts: 1, maxAttempts: 3 }, ending, middle);
    assertEquals(refund, ending.is === "interrupted");
  }
});

Deno.test("the pause grows and never exceeds an hour, but for the spread", () => {
  const pause = (attempts: number) =>
    decide({ attempts, maxAttempts: 2000 }, threw(new Error("boom")), middle).delaySeconds;
  assertEquals([1, 2, 3, 9, 10, 31, 63, 1000].map(pause), [
    10,
    20,
    40,
    2560,
    3600,
    3600,
    3600,
    3600,
  ]);
});

Deno.test("a pause that was asked for is obeyed, at most a day, and never shortened by the spread", () => {
  const pause = (asked: number, random: number) =>
    decide({ attempts: 1, maxAttempts: 3 }, threw(new TemporaryError("busy", asked)), () => random)
      .delaySeconds;
  assertEquals([pause(340, 0), pause(340, 1)], [340, 408]);
  assertEquals([pause(0, 0), pause(-5, 0)], [1, 1]);
  assert(pause(1e12, 1) <= 1.2 * 86_400);
});

Deno.test("a job with a changed budget is still decided: more attempts than allowed is the end, not a pause", () => {
  const { status } = decide({ attempts: 9, maxAttempts: 3 }, threw(new Error("boom")), middle);
  assertEquals(status, "failed");
});
