/**
 * The token to call with: a long-lived one, or the pair of a consent.
 * @module
 */
import { createHash } from "node:crypto";
import { PermanentError } from "../../base/errors.ts";
import { tokenEnd } from "./jwt.ts";
import { type Consented, pairAfter, type Token, type TokenContext } from "./refresh.ts";
import { type Consent, type Credentials, LANE } from "./settings.ts";
import { readPair } from "./token_row.ts";

/** Source: https://www.amocrm.ru/developers/content/oauth/step-by-step */
const REFRESH_DAYS = 90;
const DAY_MS = 86_400_000;

/** The tokens of the account. */
export interface Tokens {
  /** The one to call with now; one that is about to end is refreshed first. */
  current(): Promise<Token>;
  /** Another one of the consent, after this one was answered with 401. A long-lived token has no other. */
  after(refused: Token): Promise<Token>;
  /** Refreshes ahead of time, which a long-lived token cannot; when access ends if nobody does anything, if that is known. */
  renew(): Promise<Date | undefined>;
}

/**
 * The tokens that the settings lead to. They throw what the lane throws. `renew` throws PermanentError or TemporaryError
 * instead while there still is a token that works: nobody is to be held then.
 */
export function createTokens(
  url: string,
  credentials: Credentials,
  context: TokenContext,
): Tokens {
  switch (credentials.is) {
    case "missing":
      return noTokens(credentials.why, context);
    case "long-lived":
      return oneToken(credentials.token);
    case "consent":
      return pairs({ url, consent: credentials, id: consentId(url, credentials), ...context });
  }
}

/** Concerns everybody: the jobs wait until the settings are mended. */
function noTokens(why: string, { lanes }: TokenContext): Tokens {
  const refuse = () =>
    lanes.through(LANE, () => Promise.reject(new PermanentError(why, { lane: LANE })));
  return { current: refuse, after: refuse, renew: refuse };
}

function oneToken(access: string): Tokens {
  return {
    current: () => Promise.resolve({ access, pair: 0 }),
    after: (refused) => Promise.resolve(refused),
    renew: () => Promise.resolve(tokenEnd(access)),
  };
}

function pairs(consented: Consented): Tokens {
  const { sql, id } = consented;
  return {
    async current() {
      const saved = await readPair(sql, id);
      return saved?.isFresh ? saved : await pairAfter(consented, saved?.pair ?? 0, LANE);
    },
    after: ({ pair }) => pairAfter(consented, pair, LANE),
    async renew() {
      const saved = await readPair(sql, id);
      await pairAfter(consented, saved?.pair ?? 0, saved?.isFresh ? undefined : LANE);
      const { pairedAt } = (await readPair(sql, id))!;
      return new Date(pairedAt.getTime() + REFRESH_DAYS * DAY_MS);
    },
  };
}

/** What the consent began with tells one from the next, and its hash says nothing of it. */
function consentId(url: string, { clientId, grant }: Consent): string {
  const began = JSON.stringify([new URL(url).host, clientId, grant]);
  return createHash("sha256").update(began).digest("hex");
}
