/**
 * What follows from how an attempt ended: the whole retry policy, as one pure function.
 * @module
 */
import { backoffSeconds, retryAfterSeconds } from "../base/backoff.ts";
import {
  describeError,
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

const ENDED: Transition = {
  status: "done",
  reason: null,
  delaySeconds: 0,
  refund: false,
  stepsAside: false,
  error: null,
  result: null,
};

/** Decides what becomes of a job. */
export function decide(
  job: Pick<Job, "attempts" | "maxAttempts">,
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
      return afterError(job, ending.error, random);
  }
}

function afterError(
  job: Pick<Job, "attempts" | "maxAttempts">,
  error: unknown,
  random: () => number,
): Transition {
  const why = describeError(error);
  if (error instanceof PermanentError) return givenUp("permanent", why);
  if (error instanceof OutcomeUnknownError) return givenUp("outcome_unknown", why);
  const asked = error instanceof TemporaryError ? error.retryAfterSeconds : undefined;
  const pause = asked === undefined
    ? backoffSeconds(job.attempts, random)
    : retryAfterSeconds(asked, random);
  return again(job, "exhausted", why, pause);
}

function again(
  job: Pick<Job, "attempts" | "maxAttempts">,
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
