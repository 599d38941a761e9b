/**
 * What follows for an effect from what is noted of it, and from how its call failed. Decisions only.
 * @module
 */
import {
  LaneHeldError,
  OutcomeUnknownError,
  PermanentError,
  TemporaryError,
} from "../base/errors.ts";
import type { EffectNote } from "../db/effects.ts";

/** Calls whose outcome is not known before a person is asked, the first one included. */
const MAX_TRIES = 2;

/** How one effect may be carried out. */
export interface EffectRules {
  readonly shadow: boolean;
  /** Whether the outside world can be asked. */
  readonly canLook: boolean;
  readonly onUnknown: "fail" | "repeat";
  /** Whether the database was restored a short while ago: that nothing is noted does not mean that nothing happened. */
  readonly restored: boolean;
}

/** What is to be done next. */
export type EffectStep =
  | { readonly is: "known"; readonly ref: string }
  | { readonly is: "plan" }
  | { readonly is: "wait"; readonly seconds: number }
  | { readonly is: "look" }
  /** `tries`: of how many calls nobody will know whether they took effect, once this one is noted. */
  | { readonly is: "make"; readonly tries: number }
  | { readonly is: "ask_a_person" };

/** Decides by the note of a key. Waiting comes before looking: what a call has set going may appear until it has ended. */
export function nextStep(note: EffectNote | undefined, rules: EffectRules): EffectStep {
  if (note?.state === "done") return { is: "known", ref: note.ref! };
  if (rules.shadow) return { is: "plan" };
  if (note === undefined || note.state === "planned") return firstStep(rules);
  if (note.waitSeconds > 0) return { is: "wait", seconds: note.waitSeconds };
  return unknownStep(note.tries, rules);
}

/** Where nobody can look it is made: most of what was asked for before the backup never happened. */
function firstStep({ restored, canLook }: EffectRules): EffectStep {
  return restored && canLook ? { is: "look" } : { is: "make", tries: 1 };
}

function unknownStep(tries: number, { canLook, onUnknown }: EffectRules): EffectStep {
  if (canLook) return { is: "look" };
  const again = onUnknown === "repeat" && tries < MAX_TRIES;
  return again ? { is: "make", tries: tries + 1 } : { is: "ask_a_person" };
}

/** What a failed call leaves behind. */
export interface CallFailure {
  /** Whether its note is taken back: nothing was created. */
  readonly withdraw: boolean;
  /** What the job is to fail with. */
  readonly error: unknown;
}

/**
 * Decides by the error of a call. The word of a PermanentError is taken, and that a lane had no turn for it. That of a TemporaryError is taken only where nobody
 * can look: behind the 504 of a proxy the work may go on.
 */
export function afterFailedCall(
  error: unknown,
  effect: { key: string; jobId: string; tries: number },
  rules: EffectRules,
): CallFailure {
  if (error instanceof PermanentError) return { withdraw: true, error };
  // It was never made, as long as another call had not caused that.
  if (error instanceof LaneHeldError && !error.caused) return { withdraw: true, error };
  if (error instanceof TemporaryError) return { withdraw: !rules.canLook, error };
  const { key, jobId, tries } = effect;
  if (unknownStep(tries, rules).is === "ask_a_person") {
    return { withdraw: false, error: outcomeUnknown(key, jobId, error) };
  }
  const what = rules.canLook ? "looks first" : "repeats the call";
  const message = `Cannot tell whether effect ${key} happened: the next attempt ${what}`;
  return { withdraw: false, error: new TemporaryError(message, undefined, { cause: error }) };
}

/** The error that puts the question before a person, with the commands that answer it. */
export function outcomeUnknown(key: string, jobId: string, cause?: unknown): OutcomeUnknownError {
  const command = `hookwork effect ${shellWord(key)}`;
  return new OutcomeUnknownError(
    `Cannot tell whether effect ${key} happened; look there, then say so by \`${command} --happened <reference>\` ` +
      `or \`${command} --did-not-happen\`, and \`hookwork retry ${jobId}\``,
    { cause },
  );
}

/** A word that a shell takes as it is. */
export function shellWord(text: string): string {
  return /^[\w.:@%+,/-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
