/**
 * What follows from how an attempt ended: the whole retry policy, as one pure function.
 * @module
 */
import { backoffSeconds, retryAfterSeconds } from "../base/backoff.ts";
import {
  describeError,
  LaneHeldError,
  OutcomeUnknownError,
  PermanentError,
  TemporaryError,
} from "../base/errors.ts";
import type { Job, Reason } from "../contract.ts";
import type { Transition } from "../db/claims.ts";

/** How an attempt ended. */
export type Ending =
  | { readonly is: "done"; readonly result?: string }
  | { readonly is: "threw"; readonly error: unknown }
  | { readonly is: "bad_payload"; readonly why: string }
  | { readonly is: "timeout"; readonly seconds: number }
  /** Stopped by a shutdown, through no fault of its own. */
  | { readonly is: "interrupted" };

/** A pause that a job itself causes is charged to it from this one on, counted in a row: it may be the job. */
const MAX_FREE_PAUSES = 2;
/** How long lanes may hold a job. */
export const MAX_HELD_DAYS = 7;

/** What a decision needs of a job. */
type Attempt = Pick<Job, "attempts" | "maxAttempts" | "pauses" | "heldSeconds">;

const ENDED: Transition = {
  status: "done",
  reason: null,
  delaySeconds: 0,
  refund: false,
  stepsAside: false,
  error: null,
  result: null,
  pauses: null,
};

/** Decides what becomes of a job. */
export function decide(
  job: Attempt,
  ending: Ending,
  random: () => number = Math.random,
): Transition {
  switch (ending.is) {
    case "done":
      return { ...ENDED, result: ending.result ?? null };
    case "interrupted":
      return { ...ENDED, status: "pending", refund: true };
    case "bad_payload":
      return givenUp("bad_payload", ending.why);
    case "timeout":
      return again(
        job,
        "timeout",
        `No end after ${ending.seconds} s`,
        backoffSeconds(job.attempts, random),
      );
    case "threw":
      return afterAnything(job, ending.error, random);
  }
}

/** Anything can be thrown, also what throws when it is looked at: that too is an error like any other. */
function afterAnything(job: Attempt, error: unknown, random: () => number): Transition {
  try {
    return afterError(job, error, random);
  } catch {
    const why = "an error that cannot be shown";
    return again(job, "exhausted", why, backoffSeconds(job.attempts, random));
  }
}

function afterError(
  job: Attempt,
  error: unknown,
  random: () => number,
): Transition {
  const why = describeError(error);
  if (error instanceof PermanentError) return givenUp("permanent", why);
  if (error instanceof OutcomeUnknownError) return givenUp("outcome_unknown", why);
  if (error instanceof LaneHeldError) return held(job, error, random);
  const asked = error instanceof TemporaryError ? error.retryAfterSeconds : undefined;
  const pause = asked === undefined
    ? backoffSeconds(job.attempts, random)
    : retryAfterSeconds(asked, random);
  return again(job, "exhausted", why, pause);
}

function held(job: Attempt, error: LaneHeldError, random: () => number): Transition {
  const { message, caused, retryAfterSeconds: seconds = 0 } = error;
  if (job.heldSeconds >= MAX_HELD_DAYS * 86_400) {
    return givenUp("exhausted", `Held for ${MAX_HELD_DAYS} days by a lane: ${message}`);
  }
  const pauses = caused ? job.pauses + 1 : job.pauses;
  const delaySeconds = retryAfterSeconds(seconds, random);
  if (!caused || pauses <= MAX_FREE_PAUSES) {
    return { ...ENDED, status: "pending", refund: true, delaySeconds, error: message, pauses };
  }
  const charged = again(job, "exhausted", message, backoffSeconds(job.attempts, random));
  return charged.status === "pending" ? { ...charged, pauses } : charged;
}

function again(
  job: Attempt,
  reason: Reason,
  error: string,
  delaySeconds: number,
): Transition {
  if (job.attempts >= job.maxAttempts) return givenUp(reason, error);
  return { ...ENDED, status: "pending", delaySeconds, error };
}

function givenUp(reason: Reason, error: string): Transition {
  return { ...ENDED, status: "failed", reason, error };
}
