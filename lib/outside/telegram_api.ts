/**
 * One call of the Telegram Bot API: its address, its envelope, and what its refusals mean.
 * @module
 */
import { z } from "zod";
import type { ClientContext, Schema } from "../contract.ts";
import type { SettingValues } from "../setting.ts";
import { OutcomeUnknownError, PermanentError, TemporaryError } from "../base/errors.ts";
import { parseRetryAfter } from "../base/retry_after.ts";
import { url } from "../base/settings.ts";
import { telegramBotToken } from "../base/telegram.ts";
import { isPermanent } from "./check.ts";
import { type Answer, call } from "./http.ts";

/** The settings of everything that calls the API. */
export const botSettings = {
  TELEGRAM_BOT_TOKEN: telegramBotToken,
  TELEGRAM_API: url("The address of the Telegram Bot API.", {
    default: "https://api.telegram.org",
  }),
};

/** A method to be called. */
export interface Method<T> {
  readonly name: string;
  /** What it does, as it reads after "Cannot". */
  readonly what: string;
  readonly parameters?: Readonly<Record<string, unknown>>;
  readonly result: Schema<T>;
  /** Whether a repeat does no harm. */
  readonly idempotent: boolean;
  /** The chat that is written to: one message a second, and a pause of its own when it is asked for. */
  readonly chat?: string;
}

const LANE = "telegram";
/** Source: core.telegram.org/bots/faq, "My bot is hitting limits": about one message a second in one chat. */
const PER_SECOND = 1;

/** Calls a method of one bot. */
export type BotApi = <T>(method: Method<T>) => Promise<T>;

/** The group is a supergroup now, under another id; nothing was sent to the old one. */
export class ChatMigratedError extends PermanentError {
  override name = "ChatMigratedError";
  constructor(message: string, readonly newChatId: string) {
    super(message);
  }
}

const envelope = z.object({
  ok: z.boolean(),
  result: z.unknown().optional(),
  description: z.string().optional(),
  parameters: z.object({
    retry_after: z.number().nonnegative().optional(),
    migrate_to_chat_id: z.union([z.number(), z.string()]).optional(),
  }).optional(),
});
type Envelope = z.infer<typeof envelope>;

/**
 * Gives access to the API. No error of it holds the token. A method throws ChatMigratedError;
 * PermanentError when the message (400, 403) or the bot (401, 404) is refused, and when a webhook
 * stands in the way (409); TemporaryError for 429 and 5xx; and else what `call` throws. A refusal of
 * the bot concerns the lane `telegram`, a 429 the chat's own; what `lanes` throws then takes its place.
 * Source: core.telegram.org/bots/api, "Making requests" and ResponseParameters.
 */
export function createBotApi(
  settings: SettingValues<typeof botSettings>,
  { signal, shadow, lanes }: Pick<ClientContext, "signal" | "shadow" | "lanes">,
): BotApi {
  const { TELEGRAM_BOT_TOKEN: token, TELEGRAM_API: api } = settings;
  const base = `${api.replace(/\/+$/, "")}/bot${token}`;
  const ask = async <T>(method: Method<T>, lane: string): Promise<T> => {
    const { name, what, parameters = {}, result, idempotent } = method;
    const answer = await call({
      what,
      url: new URL(`${base}/${name}`),
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(parameters),
      idempotent,
      signal,
      shadow,
    });
    const said = envelope.safeParse(answer.json()).data;
    const value = result.safeParse(said?.result);
    if (said?.ok && value.success) return value.data;
    const why = `Cannot ${what}: ${describe(answer, said).replaceAll(token, "***")}`;
    throw answer.status < 300 ? unreadable(why, idempotent) : refusal(why, answer, said, lane);
  };
  return (method) => {
    if (method.chat === undefined) return lanes.through(LANE, () => ask(method, LANE));
    const lane = `${LANE}:${method.chat}`;
    return lanes.through(lane, () => ask(method, lane), { perSecond: PER_SECOND });
  };
}

function describe({ status }: Answer, said: Envelope | undefined): string {
  if (said === undefined) return `what answered with ${status} is not the Bot API`;
  return `Telegram answered ${status}, ${said.description ?? "without a description"}`;
}

function unreadable(why: string, idempotent: boolean): Error {
  const message = `${why}, and cannot be understood; see TELEGRAM_API and what stands between`;
  return idempotent ? new TemporaryError(message) : new OutcomeUnknownError(message);
}

function refusal(
  why: string,
  { status, headers }: Answer,
  said: Envelope | undefined,
  lane: string,
): Error {
  const { retry_after: retryAfterSeconds, migrate_to_chat_id: newId } = said?.parameters ?? {};
  if (newId !== undefined) return new ChatMigratedError(`${why}; use its id ${newId}`, `${newId}`);
  if (isPermanent(status)) {
    const concerned = status === 401 || status === 404 ? { lane: LANE } : {};
    return new PermanentError(`${why}; ${remedy(status, said)}`, concerned);
  }
  return new TemporaryError(
    `${why}; it may pass`,
    retryAfterSeconds ?? parseRetryAfter(headers.get("retry-after"), new Date()),
    status === 429 ? { lane } : {},
  );
}

function remedy(status: number, said: Envelope | undefined): string {
  if (said === undefined) return "see TELEGRAM_API and what stands between";
  switch (status) {
    case 401:
    case 404:
      return "set TELEGRAM_BOT_TOKEN to the token that @BotFather shows";
    case 403:
      return "let the person start or unblock the bot, or add it to the group";
    case 409:
      return "remove the webhook first, or take the chat's id from a stored event";
    default:
      return "see the chat's id and the text";
  }
}
