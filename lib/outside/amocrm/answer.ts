/**
 * What an answer of the API means: for the job that asked, or for everybody.
 * @module
 */
import type { Schema } from "../../contract.ts";
import {
  describeError,
  OutcomeUnknownError,
  PermanentError,
  TemporaryError,
} from "../../base/errors.ts";
import { parseRetryAfter } from "../../base/retry_after.ts";
import type { Answer } from "../http.ts";
import { describeAnswer, type Problem, problemOf } from "./problem.ts";
import { LANE } from "./settings.ts";

/** After a 429 that asks for no time: the limit is one of a second. Whoever does not listen is answered with 403 before long. */
const TOO_MANY_SECONDS = 10;
/** The address from which we call is not on the account's list. */
const FOREIGN_ADDRESS = 113;

/** What was asked. */
export interface Asked<T> {
  /** As it reads after "Cannot". */
  readonly what: string;
  /** Whether something new is made, which a repeat would make twice. */
  readonly creates: boolean;
  /** Whether there is another token to try with. */
  readonly hasOther: boolean;
  /** The token, to be hidden: the log knows only the secrets of the settings. */
  readonly secret: string;
  readonly schema: Schema<T>;
}

/** The token was refused, and another one may not be: says nothing of the lane yet. */
export class TokenRefusedError extends TemporaryError {
  override name = "TokenRefusedError";
}

/**
 * What was found; undefined when nothing was (204, and 404 in the API's own words).
 *
 * Throws TokenRefusedError for 401 when there is another token. With the lane: PermanentError for 401, 402, a redirect, and a
 * 403 that is a block or concerns our address; TemporaryError for 429, and for 503 with Retry-After. For the job alone:
 * PermanentError for every other refusal, OutcomeUnknownError when something may have been created without our knowing, and
 * TemporaryError for the rest.
 */
export function valueOf<T>(answer: Answer, asked: Asked<T>): T | undefined {
  const why = `Cannot ${asked.what}: ${describeAnswer(answer, [asked.secret])}`;
  if (answer.status === 204) return nothing(why, asked);
  if (answer.status >= 300) return refused(answer, why, asked);
  const json = answer.json();
  if (json === undefined) {
    const message = `${why}; see AMOCRM_URL and what stands between`;
    throw asked.creates ? new OutcomeUnknownError(message) : new TemporaryError(message);
  }
  const value = asked.schema.safeParse(json);
  if (value.success) return value.data;
  const message = `Cannot ${asked.what}: amoCRM's answer has another form than is known: ${
    describeError(value.error)
  }`;
  throw asked.creates ? new OutcomeUnknownError(message) : new PermanentError(message);
}

function nothing(why: string, { creates }: Asked<unknown>): undefined {
  if (!creates) return undefined;
  throw new PermanentError(`${why}: what it was to belong to is not there; see whether it exists`);
}

function refused(answer: Answer, why: string, asked: Asked<unknown>): undefined {
  const { status, headers } = answer;
  const problem = problemOf(answer);
  if (status === 404 && problem !== undefined && !asked.creates) return undefined;
  const seconds = problem?.retry_after ?? parseRetryAfter(headers.get("retry-after"), new Date());
  if (status === 401 && asked.hasOther) throw new TokenRefusedError(`${why}; another may be good`);
  if (status === 429 || status === 503 && seconds !== undefined) {
    const pauseSeconds = seconds ?? TOO_MANY_SECONDS;
    throw new TemporaryError(`${why}; it asks for a pause`, pauseSeconds, { lane: LANE });
  }
  if (status === 408 || status === 425 || status === 503) {
    throw new TemporaryError(`${why}; it may pass`, seconds);
  }
  if (status >= 500) {
    if (!asked.creates) throw new TemporaryError(`${why}; it may pass`, seconds);
    throw new OutcomeUnknownError(`${why}; it may have taken effect: look there`);
  }
  const everybody = concernsEverybody(answer, problem);
  throw everybody === undefined
    ? new PermanentError(`${why}; ${remedyOf(status)}`)
    : new PermanentError(`${why}; ${everybody}`, { lane: LANE });
}

/** What the next call would be refused for as well, as a remedy; undefined when it is this call. */
function concernsEverybody(
  { status, headers }: Answer,
  problem: Problem | undefined,
): string | undefined {
  if (status === 401) {
    return "give it a token that is good: AMOCRM_ACCESS_TOKEN, or a new consent by AMOCRM_AUTH_CODE";
  }
  if (status === 402) return "let the account be paid";
  if (status < 400) {
    // The host alone: what follows it may hold anything.
    const host = URL.parse(headers.get("location") ?? "")?.host ?? "nowhere";
    return `the account has another address, it leads to ${host}: set AMOCRM_URL if that is right`;
  }
  if (status !== 403) return undefined;
  if (problem === undefined) return "all calls are blocked: make fewer, then wait";
  const code = problem.code ?? problem.error_code;
  return code === FOREIGN_ADDRESS ? "let the account allow this machine's address" : undefined;
}

function remedyOf(status: number): string {
  if (status === 403) return "let an administrator give the token's user the right to it";
  return "see what was asked for";
}
