import { assertEquals, assertInstanceOf, assertStringIncludes } from "@std/assert";
import {
  describeError,
  LaneHeldError,
  OutcomeUnknownError,
  PermanentError,
  TemporaryError,
} from "../../lib/base/errors.ts";
import type { EffectNote } from "../../lib/db/effects.ts";
import {
  afterFailedCall,
  type EffectRules,
  nextStep,
  outcomeUnknown,
  shellWord,
} from "../../lib/flow/effect_rules.ts";

const looking: EffectRules = { shadow: false, canLook: true, onUnknown: "fail", restored: false };
const failing: EffectRules = { ...looking, canLook: false };
const repeating: EffectRules = { ...failing, onUnknown: "repeat" };
const everyRule = [looking, failing, repeating, { ...looking, onUnknown: "repeat" } as const];
const note = (parts: Partial<EffectNote> = {}): EffectNote => ({
  state: "intended",
  ref: null,
  tries: 1,
  waitSeconds: 0,
  intendedAt: "2026-03-01 10:00:00.000001+00",
  ...parts,
});
const effect = { key: "contract:1", jobId: "7", tries: 1 };

Deno.test("what is new is made, what is done is known, and a plan counts as nothing", () => {
  for (const rules of everyRule) {
    assertEquals(nextStep(undefined, rules), { is: "make", tries: 1 });
    assertEquals(nextStep(note({ state: "planned", tries: 0 }), rules), { is: "make", tries: 1 });
    const done = note({ state: "done", ref: "r", waitSeconds: 5 });
    assertEquals(nextStep(done, rules), { is: "known", ref: "r" });
  }
});

Deno.test("in a restored database nothing noted is no proof: who can look looks first, who cannot makes it", () => {
  for (const rules of everyRule) {
    const restored = { ...rules, restored: true };
    const step = rules.canLook ? { is: "look" } as const : { is: "make", tries: 1 } as const;
    assertEquals(nextStep(undefined, restored), step);
    assertEquals(nextStep(note({ state: "done", ref: "r" }), restored), { is: "known", ref: "r" });
  }
});

Deno.test("nothing is looked at nor repeated before the call that is noted must have ended", () => {
  for (const rules of everyRule) {
    assertEquals(nextStep(note({ waitSeconds: 2.5 }), rules), { is: "wait", seconds: 2.5 });
  }
});

Deno.test("who can look looks, however often nobody knew", () => {
  for (const tries of [1, 2, 30]) {
    assertEquals(nextStep(note({ tries }), looking), { is: "look" });
    assertEquals(nextStep(note({ tries }), { ...looking, onUnknown: "repeat" }), { is: "look" });
  }
});

Deno.test("who cannot look asks a person: at once, or after one repeat", () => {
  assertEquals(nextStep(note(), failing), { is: "ask_a_person" });
  assertEquals(nextStep(note(), repeating), { is: "make", tries: 2 });
  assertEquals(nextStep(note({ tries: 2 }), repeating), { is: "ask_a_person" });
});

Deno.test("in shadow nothing is waited for, looked at or made", () => {
  for (const rules of everyRule.map((rule) => ({ ...rule, shadow: true }))) {
    const open = [undefined, note(), note({ waitSeconds: 9 }), note({ state: "planned" })];
    for (const each of open) assertEquals(nextStep(each, rules), { is: "plan" });
    assertEquals(nextStep(note({ state: "done", ref: "r" }), rules), { is: "known", ref: "r" });
  }
});

Deno.test("a refused call leaves no note, and its own error", () => {
  const error = new PermanentError("refused");
  for (const rules of everyRule) {
    assertEquals(afterFailedCall(error, effect, rules), { withdraw: true, error });
  }
});

Deno.test("a call that got no turn in its lane leaves no note; one that was refused for all leaves what a refusal leaves", () => {
  const full = new LaneHeldError("the lane is full", 8, false);
  const refused = new LaneHeldError("answered 429", 8, true);
  assertEquals(afterFailedCall(full, effect, looking), { withdraw: true, error: full });
  assertEquals(afterFailedCall(refused, effect, looking), { withdraw: false, error: refused });
});

Deno.test("the word of a 503 is taken only where nobody can look", () => {
  const error = new TemporaryError("busy", 30);
  assertEquals(afterFailedCall(error, effect, looking), { withdraw: false, error });
  for (const rules of [failing, repeating]) {
    assertEquals(afterFailedCall(error, effect, rules), { withdraw: true, error });
  }
});

for (const cause of [new OutcomeUnknownError("lost"), new TypeError("bug"), "thrown text"]) {
  Deno.test(`nobody knows what came of a call that failed by ${describeError(cause)}`, () => {
    const of = (rules: EffectRules, tries = 1) =>
      afterFailedCall(cause, { ...effect, tries }, rules);
    assertInstanceOf(of(looking).error, TemporaryError);
    assertInstanceOf(of(repeating).error, TemporaryError);
    for (const failure of [of(failing), of(repeating, 2)]) {
      assertEquals(failure.withdraw, false);
      assertInstanceOf(failure.error, OutcomeUnknownError);
      assertStringIncludes(describeError(failure.error), describeError(cause));
    }
    assertEquals([of(looking).withdraw, of(repeating).withdraw], [false, false]);
  });
}

Deno.test("the error for a person names the key, and commands that a shell takes as they are", () => {
  const { message } = outcomeUnknown("it's $HOME", "7");
  for (
    const part of [
      "it's $HOME",
      `hookwork effect 'it'\\''s $HOME' --happened <reference>`,
      `hookwork effect 'it'\\''s $HOME' --did-not-happen`,
      "hookwork retry 7",
    ]
  ) assertStringIncludes(message, part);
  assertEquals(shellWord("contract:45.2/1"), "contract:45.2/1");
});
