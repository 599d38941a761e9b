/**
 * One call of the API v4: in its turn, with a token that is good, and understood.
 * @module
 */
import type { ClientContext, Log, Schema } from "../../contract.ts";
import type { SettingValues } from "../../setting.ts";
import { type Answer, call } from "../http.ts";
import { TokenRefusedError, valueOf } from "./answer.ts";
import { type amocrmSettings, credentialsOf, LANE, PER_SECOND } from "./settings.ts";
import type { Token } from "./refresh.ts";
import { createTokens, type Tokens } from "./tokens.ts";

/** As long as amoCRM's own clients wait for lists, which are slow. */
const READ_SECONDS = 20;
/** A page of 250 deals with a hundred custom fields each. */
const MAX_BODY_BYTES = 16 * 2 ** 20;

/** A call to be made. */
export interface Question<T> {
  /** As it reads after "Cannot". */
  readonly what: string;
  /** GET when absent. */
  readonly method?: "GET" | "POST" | "DELETE";
  /** Below `/api/v4`. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number>>;
  readonly body?: unknown;
  readonly schema: Schema<T>;
  /** Whether something new is made, which a repeat would make twice. */
  readonly creates?: boolean;
  /** Ends this call, beside the signal of the run: that of an effect. */
  readonly signal?: AbortSignal;
}

/** The account's API. */
export interface Api {
  /** What the answer holds; undefined when nothing was found. */
  ask<T>(question: Question<T>): Promise<T | undefined>;
  readonly tokens: Tokens;
  readonly log: Log;
}

/**
 * Gives access to the API. A call throws what `valueOf` throws for its answer, what `call` throws without one, and, for what
 * concerns everybody, what the lane throws. A token that is refused is renewed once, if it can be. No error holds a token.
 */
export function createApi(
  settings: SettingValues<typeof amocrmSettings>,
  context: ClientContext,
): Api {
  const { AMOCRM_URL: url } = settings;
  const tokens = createTokens(url, credentialsOf(settings), context);
  // The token is there before the turn is taken: who waits for it in his turn would call together with those behind him.
  const askBy = <T>(token: Token, question: Question<T>, hasOther: boolean) =>
    context.lanes.through(LANE, async () => {
      const answer = await send(url, token, question, context);
      const { what, schema, creates = false } = question;
      return valueOf(answer, { what, schema, creates, hasOther, secret: token.access });
    }, { perSecond: PER_SECOND });
  return {
    tokens,
    log: context.log,
    async ask(question) {
      const token = await tokens.current();
      try {
        return await askBy(token, question, token.pair > 0);
      } catch (error) {
        if (!(error instanceof TokenRefusedError)) throw error;
        return await askBy(await tokens.after(token), question, false);
      }
    },
  };
}

function send<T>(
  url: string,
  { access }: Token,
  question: Question<T>,
  { signal, shadow }: ClientContext,
): Promise<Answer> {
  const { what, method = "GET", path, query = {}, body, creates = false } = question;
  const address = new URL(`/api/v4${path}`, url);
  for (const [name, value] of Object.entries(query)) address.searchParams.set(name, `${value}`);
  return call({
    what,
    url: address,
    method,
    headers: {
      authorization: `Bearer ${access}`,
      ...body === undefined ? {} : { "content-type": "application/json" },
    },
    body: body === undefined ? undefined : JSON.stringify(body),
    idempotent: !creates,
    shadow,
    signal: question.signal ? AbortSignal.any([signal, question.signal]) : signal,
    deadlineSeconds: method === "GET" ? READ_SECONDS : undefined,
    maxBodyBytes: MAX_BODY_BYTES,
  });
}
