/**
 * The tokens of the fake amoCRM: long-lived ones, and pairs of which the refresh token works once.
 * Source: https://www.amocrm.ru/developers/content/oauth/step-by-step
 * @module
 */
import { randomUUID } from "node:crypto";
import { ok, problem, type Reply } from "./reply.ts";

/** The integration, as it was registered. */
export interface TokenOptions {
  readonly account: { readonly id: number; readonly subdomain: string };
  readonly clientId: string;
  readonly clientSecret: string;
  readonly redirectUri: string;
  /** Seconds since 1970. */
  now(): number;
}

/** With whose rights a call is made. */
export interface Rights {
  readonly isAdmin: boolean;
}

/** The tokens of one integration in one account. */
export interface Tokens {
  /** A new long-lived token, or the one that is given. */
  issue(rights?: Rights, token?: string): string;
  /** A new authorization code, for twenty minutes. */
  consent(): string;
  /** A new pair, as if a code had been exchanged. */
  issuePair(): { readonly access: string; readonly refresh: string };
  /** From now on no access token works that was given out before; refresh tokens still do. */
  expireAccess(): void;
  /** The integration is switched off: no token works any more. */
  revokeAll(): void;
  /** Whose rights an Authorization header carries; undefined when it carries none. */
  rightsOf(header: string | undefined): Rights | undefined;
  /** Answers `POST /oauth2/access_token`. */
  grant(body: unknown): Reply;
  /** How many pairs were given out for a refresh token, and how often one was used that had been used. */
  readonly refreshes: number;
  readonly reuses: number;
}

const ACCESS_SECONDS = 86_400;
const REFRESH_SECONDS = 90 * 86_400;
const CODE_SECONDS = 1200;
const OAUTH_PROBLEM = "https://developers.amocrm.ru/v3/errors/OAuthProblemJson";

/** An integration without any token. */
export function createTokens(options: TokenOptions): Tokens {
  const { now, account, clientId } = options;
  const access = new Map<string, Rights & { readonly until: number }>();
  const refresh = new Map<string, { readonly until: number; isUsed: boolean }>();
  const codes = new Map<string, number>();
  const count = { refreshes: 0, reuses: 0 };

  function issuePair() {
    const pair = { access: jwt(account, clientId, now()), refresh: `def502${randomUUID()}` };
    access.set(pair.access, { isAdmin: true, until: now() + ACCESS_SECONDS });
    refresh.set(pair.refresh, { until: now() + REFRESH_SECONDS, isUsed: false });
    return pair;
  }
  function answerPair(): Reply {
    const pair = issuePair();
    return ok({
      token_type: "Bearer",
      expires_in: ACCESS_SECONDS,
      access_token: pair.access,
      refresh_token: pair.refresh,
    });
  }
  function exchangeCode(code: string): Reply {
    const until = codes.get(code) ?? -Infinity;
    codes.delete(code);
    return now() < until ? answerPair() : refusal("Authorization code has expired");
  }
  function exchangeRefresh(token: string): Reply {
    const known = refresh.get(token);
    if (known === undefined) return refusal("Cannot decrypt the refresh token");
    if (now() >= known.until) return refusal("Token has expired");
    if (known.isUsed) {
      count.reuses++;
      return refusal("Token has been revoked");
    }
    known.isUsed = true;
    count.refreshes++;
    return answerPair();
  }

  return {
    issue(rights = { isAdmin: true }, token = jwt(account, clientId, now())) {
      access.set(token, { ...rights, until: Infinity });
      return token;
    },
    consent() {
      const code = `code${randomUUID()}`;
      codes.set(code, now() + CODE_SECONDS);
      return code;
    },
    issuePair,
    expireAccess: () => access.clear(),
    revokeAll() {
      access.clear();
      refresh.forEach((token) => token.isUsed = true);
    },
    rightsOf(header) {
      const token = access.get(/^Bearer (.+)$/.exec(header ?? "")?.[1] ?? "");
      return token && now() < token.until ? token : undefined;
    },
    grant(body) {
      const given = body as Record<string, unknown>;
      const { client_id, client_secret, redirect_uri, grant_type } = given ?? {};
      const isKnown = client_id === clientId && client_secret === options.clientSecret &&
        redirect_uri === options.redirectUri;
      if (!isKnown) return refusal("The client or its redirect address is not known");
      if (grant_type === "authorization_code") return exchangeCode(`${given.code}`);
      if (grant_type === "refresh_token") return exchangeRefresh(`${given.refresh_token}`);
      return refusal("The grant type is not supported");
    },
    get refreshes() {
      return count.refreshes;
    },
    get reuses() {
      return count.reuses;
    },
  };
}

function refusal(hint: string): Reply {
  return problem(401, "A parameter is missing or not valid", { hint, type: OAUTH_PROBLEM });
}

/** Never the same twice. Its claims are those of a real one, its signature is not. */
function jwt(account: TokenOptions["account"], clientId: string, issuedAt: number): string {
  const claims = {
    aud: clientId,
    jti: randomUUID(),
    iat: issuedAt,
    exp: issuedAt + ACCESS_SECONDS,
    account_id: account.id,
    base_domain: "amocrm.ru",
    api_domain: "api-b.amocrm.ru",
  };
  const parts = [{ typ: "JWT", alg: "RS256" }, claims, { no: "signature" }];
  return parts.map((part) =>
    new TextEncoder().encode(JSON.stringify(part)).toBase64({
      alphabet: "base64url",
      omitPadding: true,
    })
  ).join(".");
}
