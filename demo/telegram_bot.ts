/**
 * The bot that the fake Telegram serves: its methods with their checks and answers, and nothing of HTTP.
 * The checks and answers are those of the Bot API: https://core.telegram.org/bots/api
 * @module
 */

/** What a method is given. */
export type Parameters = Record<string, unknown>;

/** A message that was delivered. */
export interface SentMessage {
  readonly chatId: string;
  readonly text: string;
  readonly at: Date;
}

/** A call that is refused, as Telegram says it. */
export class ApiError extends Error {
  override name = "ApiError";
  constructor(
    readonly status: number,
    message: string,
    readonly parameters?: { retry_after?: number; migrate_to_chat_id?: number },
  ) {
    super(message);
  }
}

/** A bot and what happened to it. */
export interface Bot {
  readonly messages: readonly SentMessage[];
  /** The method that a path names. Throws ApiError when the token or the method is wrong. */
  methodOf(path: string): string;
  /** Carries out a method; throws ApiError when Telegram would refuse. */
  run(method: string, parameters: Parameters): unknown;
  /** Someone writes to the bot: sent to the webhook, whose status is returned, or kept for getUpdates. */
  write(text: string, chatId?: number): Promise<number | undefined>;
}

interface Webhook {
  readonly url: string;
  readonly secret: string;
  readonly allowedUpdates: unknown;
  readonly lastError?: { readonly last_error_date: number; readonly last_error_message: string };
}

const NO_WEBHOOK: Webhook = { url: "", secret: "", allowedUpdates: undefined };
const VISITOR = { id: 500_000_001, is_bot: false, first_name: "Visitor" };

/** A bot with this token, without a webhook. */
export function createBot(token: string): Bot {
  const messages: SentMessage[] = [];
  const updates: unknown[] = [];
  let webhook = NO_WEBHOOK;
  let lastUpdateId = 100_000_000;

  const methods: Record<string, (parameters: Parameters) => unknown> = {
    getMe: () => ({
      id: Number(token.split(":")[0]),
      is_bot: true,
      first_name: "Fake",
      username: "fake_bot",
    }),
    sendMessage({ chat_id: chatId, text }) {
      checkMessage(chatId, text);
      const at = new Date();
      messages.push({ chatId: `${chatId}`, text: `${text}`, at });
      const chat = chatOf(Number(chatId));
      return { message_id: messages.length, date: seconds(at), chat, text };
    },
    getUpdates() {
      if (webhook.url !== "") {
        throw new ApiError(
          409,
          "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first",
        );
      }
      return updates;
    },
    setWebhook({ url, secret_token: secret, allowed_updates: allowedUpdates }) {
      checkSecret(secret);
      webhook = { url: `${url ?? ""}`, secret: `${secret ?? ""}`, allowedUpdates };
      return true;
    },
    deleteWebhook() {
      webhook = NO_WEBHOOK;
      return true;
    },
    getWebhookInfo: () => ({
      url: webhook.url,
      has_custom_certificate: false,
      pending_update_count: updates.length,
      allowed_updates: webhook.allowedUpdates,
      ...webhook.lastError,
    }),
  };

  return {
    messages,
    methodOf(path) {
      const [, given = "", method = ""] = /^\/bot([^/]+)\/(\w+)$/.exec(path) ?? [];
      if (!/^\d+:[\w-]+$/.test(given)) throw new ApiError(404, "Not Found");
      if (given !== token) throw new ApiError(401, "Unauthorized");
      if (!Object.hasOwn(methods, method)) throw new ApiError(404, "Not Found");
      return method;
    },
    run: (method, parameters) => methods[method]?.(parameters),
    async write(text, chatId = VISITOR.id) {
      const update = updateOf(++lastUpdateId, text, chatId);
      if (webhook.url === "") return void updates.push(update);
      const { status, ok } = await deliver(webhook, update);
      if (!ok) {
        const lastError = `Wrong response from the webhook: ${status}`;
        webhook = {
          ...webhook,
          lastError: { last_error_date: seconds(new Date()), last_error_message: lastError },
        };
      }
      return status;
    },
  };
}

async function deliver(webhook: Webhook, update: unknown): Promise<Response> {
  const response = await fetch(webhook.url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "x-telegram-bot-api-secret-token": webhook.secret,
    },
    body: JSON.stringify(update),
  });
  await response.body?.cancel();
  return response;
}

function updateOf(updateId: number, text: string, chatId: number): unknown {
  const chat = chatOf(chatId);
  const date = seconds(new Date());
  return {
    update_id: updateId,
    message: { message_id: updateId, date, chat, from: VISITOR, text },
  };
}

/** By their ids, as Telegram gives them: persons are positive, supergroups begin with -100. */
function chatOf(id: number): unknown {
  if (id > 0) return { id, type: "private", first_name: VISITOR.first_name };
  return { id, type: id > -1_000_000_000_000 ? "group" : "supergroup", title: "Fake group" };
}

function checkMessage(chatId: unknown, text: unknown): void {
  if (chatId === undefined || `${chatId}` === "") {
    throw new ApiError(400, "Bad Request: chat_id is empty");
  }
  if (typeof text !== "string" || text.trim() === "") {
    throw new ApiError(400, "Bad Request: message text is empty");
  }
  if (text.length > 4096) throw new ApiError(400, "Bad Request: message is too long");
}

function checkSecret(secret: unknown): void {
  if (secret === undefined) return;
  if (`${secret}`.length > 256) throw new ApiError(400, "Bad Request: secret token is too long");
  if (!/^[\w-]*$/.test(`${secret}`)) {
    throw new ApiError(400, "Bad Request: secret token contains unallowed characters");
  }
}

function seconds(date: Date): number {
  return Math.floor(date.getTime() / 1000);
}
