import { assert, assertEquals } from "@std/assert";
import {
  LaneHeldError,
  OutcomeUnknownError,
  PermanentError,
  TemporaryError,
} from "../../lib/base/errors.ts";
import { decide, type Ending } from "../../lib/flow/decide.ts";

const threw = (error: unknown): Ending => ({ is: "threw", error });
const middle = () => 0.5;
const attempt = (attempts: number, maxAttempts: number, held = { pauses: 0, heldSeconds: 0 }) => (
  { attempts, maxAttempts, ...held }
);

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
  Deno.test(`decide() after ${name}, at the first attempt and at the last (rule 13)`, () => {
    const decided = [1, 3].map((attempts) => {
      const { status, reason, delaySeconds, error } = decide(
        attempt(attempts, 3),
        ending,
        middle,
      );
      return [status, reason, delaySeconds, error];
    });
    assertEquals(decided, [first, last]);
  });
}

Deno.test("only an interruption gives the attempt back (rule 7)", () => {
  for (const [_, ending] of TABLE) {
    const { refund } = decide(attempt(1, 3), ending, middle);
    assertEquals(refund, ending.is === "interrupted");
  }
});

Deno.test("the pause grows and never exceeds an hour, but for the spread", () => {
  const pause = (attempts: number) =>
    decide(attempt(attempts, 2000), threw(new Error("boom")), middle).delaySeconds;
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
    decide(attempt(1, 3), threw(new TemporaryError("busy", asked)), () => random)
      .delaySeconds;
  assertEquals([pause(340, 0), pause(340, 1)], [340, 408]);
  assertEquals([pause(0, 0), pause(-5, 0)], [1, 1]);
  assert(pause(1e12, 1) <= 1.2 * 86_400);
});

Deno.test("a job with a changed budget is still decided: more attempts than allowed is the end, not a pause", () => {
  const { status } = decide(attempt(9, 3), threw(new Error("boom")), middle);
  assertEquals(status, "failed");
});

Deno.test("a lane's pause is charged only to a job that has caused three in a row (rule 21)", () => {
  const caused = threw(new LaneHeldError("401", 1, true));
  const after = (pauses: number, attempts = 1) => {
    const decided = decide(attempt(attempts, 3, { pauses, heldSeconds: 0 }), caused, middle);
    return [decided.status, decided.refund, decided.pauses];
  };
  assertEquals([0, 1, 2, 3].map((pauses) => after(pauses)), [
    ["pending", true, 1],
    ["pending", true, 2],
    ["pending", false, 3],
    ["pending", false, 4],
  ]);
  assertEquals(after(2, 3), ["failed", false, null]);
  assertEquals(after(1, 3), ["pending", true, 2]);
});

Deno.test("a job that meets the pause of others is never charged for it, nor forgets the pauses it has caused", () => {
  const met = threw(new LaneHeldError("paused", 30, false));
  const decided = decide(attempt(3, 3, { pauses: 2, heldSeconds: 0 }), met, () => 0);
  const { status, refund, pauses, delaySeconds } = decided;
  assertEquals([status, refund, pauses, delaySeconds], ["pending", true, 2, 30]);
});

Deno.test("no pause holds a job for longer than seven days (rule 21)", () => {
  for (const caused of [true, false]) {
    const ending = threw(new LaneHeldError("paused", 30, caused));
    const after = (heldSeconds: number) =>
      decide(attempt(1, 3, { pauses: 0, heldSeconds }), ending, middle);
    assertEquals(after(7 * 86_400 - 1).status, "pending");
    assertEquals([after(7 * 86_400).status, after(7 * 86_400).reason], ["failed", "exhausted"]);
  }
});

Deno.test("whatever is thrown is an error like any other, also what throws when it is looked at", () => {
  const hostile = new Proxy({}, {
    getPrototypeOf() {
      throw new Error("do not look");
    },
  });
  const oddPause = new TemporaryError("busy", Symbol("soon") as unknown as number);
  for (const thrown of [hostile, oddPause]) {
    const { status, error } = decide(attempt(1, 3), threw(thrown), middle);
    assertEquals([status, error], ["pending", "an error that cannot be shown"]);
  }
});
