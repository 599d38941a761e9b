/**
 * Asks amoCRM for a pair of tokens: https://www.amocrm.ru/developers/content/oauth/step-by-step
 * @module
 */
import { z } from "zod";
import { PermanentError, TemporaryError } from "../../base/errors.ts";
import { parseRetryAfter } from "../../base/retry_after.ts";
import { type Answer, call } from "../http.ts";
import { describeAnswer, problemOf } from "./problem.ts";
import type { Consent } from "./settings.ts";
import type { NewPair } from "./token_row.ts";

/** From the first packet to the last byte. */
export const GRANT_SECONDS = 10;

const token = z.string().regex(/^[\x21-\x7e]+$/);
const pairForm = z.object({
  access_token: token,
  refresh_token: token,
  expires_in: z.number().positive().max(10 * 365 * 86_400),
});

/** What is asked for. */
export interface GrantCall {
  readonly url: string;
  readonly consent: Consent;
  readonly grant: Readonly<Record<string, string>>;
  readonly shadow: boolean;
}

const what = "renew the token of amoCRM";
const NOBODY = new AbortController().signal;

/**
 * Makes the call. Once it is on its way no stop of the job ends it, only its own deadline: the token that it carries is used
 * up, whoever reads the answer. A repeat does no further harm, so a lost answer is a TemporaryError.
 */
export function askForPair({ url, consent, grant, shadow }: GrantCall): Promise<Answer> {
  const { clientId: client_id, clientSecret: client_secret, redirectUri: redirect_uri } = consent;
  return call({
    what,
    url: new URL("/oauth2/access_token", url),
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ client_id, client_secret, redirect_uri, ...grant }),
    idempotent: true,
    reads: true,
    shadow,
    signal: NOBODY,
    deadlineSeconds: GRANT_SECONDS,
  });
}

/**
 * The pair of an answer. Throws PermanentError when amoCRM refuses what was sent, and TemporaryError for all else; `lane` is
 * what both concern.
 */
export function pairOf(
  answer: Answer,
  { consent, grant }: Pick<GrantCall, "consent" | "grant">,
  lane: string | undefined,
): NewPair {
  const given = answer.status === 200 ? pairForm.safeParse(answer.json()).data : undefined;
  if (given !== undefined) {
    const { access_token: access, refresh_token: refresh, expires_in: expiresInSeconds } = given;
    return { access, refresh, expiresInSeconds };
  }
  const { grant_type: _, ...tokens } = grant;
  const secrets = [consent.clientSecret, ...Object.values(tokens)];
  const why = `Cannot ${what}: ${describeAnswer(answer, secrets)}`;
  const isRefused = [400, 401, 403].includes(answer.status) && problemOf(answer) !== undefined;
  if (isRefused) throw new PermanentError(`${why}; ${REMEDY}`, { lane });
  const seconds = parseRetryAfter(answer.headers.get("retry-after"), new Date());
  throw new TemporaryError(`${why}; it may pass`, seconds, { lane });
}

const REMEDY =
  "let an administrator of the account consent anew, set AMOCRM_AUTH_CODE or AMOCRM_REFRESH_TOKEN to what that gives, " +
  "start the processes anew, then: hookwork lane amocrm resume";
