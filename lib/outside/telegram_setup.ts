/**
 * What an operator needs to set a Telegram bot up: who it is, who wrote to it, where updates go.
 * @module
 */
import { z } from "zod";
import { defineClient } from "../define.ts";
import { type BotApi, botSettings, createBotApi } from "./telegram_api.ts";

/** A chat that wrote to the bot. Ids have up to 52 bits; those of groups are negative. */
export interface Chat {
  readonly id: string;
  /** `private`, `group`, `supergroup` or `channel`. */
  readonly type: string;
  /** The name of the group or the person. */
  readonly title: string;
}

/** The webhook as Telegram sees it. */
export interface WebhookInfo {
  /** Empty when none is set. */
  readonly url: string;
  readonly pendingUpdates: number;
  /** The latest failure of a delivery, which may be long over. */
  readonly lastError?: { readonly at: Date; readonly message: string };
}

/** Sets a bot up. Every method is idempotent and throws as `createBotApi` says. */
export interface TelegramSetup {
  /** The bot whose token it is. */
  getMe(): Promise<{ readonly id: number; readonly username: string }>;
  /** The chats that wrote to the bot in the last day. PermanentError while a webhook is set. */
  chats(): Promise<Chat[]>;
  /** Has updates sent to this address, with this secret; an empty address ends that. */
  setWebhook(url: string, secret: string): Promise<void>;
  /** Where updates go, and how well. */
  webhookInfo(): Promise<WebhookInfo>;
}

/** The bot of TELEGRAM_BOT_TOKEN; needs no chat yet, since it is there to find one. */
export const telegramSetup = defineClient({
  settings: botSettings,
  create(settings, context): TelegramSetup {
    const api = createBotApi(settings, context);
    return {
      getMe: () => getMe(api),
      chats: () => chats(api),
      setWebhook: (url, secret) => setWebhook(api, url, secret),
      webhookInfo: () => webhookInfo(api),
    };
  },
});

function getMe(api: BotApi) {
  return api({
    name: "getMe",
    what: "ask Telegram which bot this is",
    result: z.object({ id: z.number(), username: z.string() }),
    idempotent: true,
  });
}

async function setWebhook(api: BotApi, url: string, secret: string): Promise<void> {
  await api({
    name: "setWebhook",
    what: "set the Telegram webhook",
    // my_chat_member tells who blocked or removed the bot, and so why messages are refused.
    parameters: { url, secret_token: secret, allowed_updates: ["message", "my_chat_member"] },
    result: z.literal(true),
    idempotent: true,
  });
}

async function webhookInfo(api: BotApi): Promise<WebhookInfo> {
  const { url, pending_update_count: pendingUpdates, last_error_date: date, ...rest } = await api({
    name: "getWebhookInfo",
    what: "ask Telegram about the webhook",
    result: z.object({
      url: z.string(),
      pending_update_count: z.number(),
      last_error_date: z.number().optional(),
      last_error_message: z.string().default(""),
    }),
    idempotent: true,
  });
  if (date === undefined) return { url, pendingUpdates };
  const lastError = { at: new Date(date * 1000), message: rest.last_error_message };
  return { url, pendingUpdates, lastError };
}

async function chats(api: BotApi): Promise<Chat[]> {
  const updates = await api({
    name: "getUpdates",
    what: "list the chats that wrote to the Telegram bot",
    result: z.array(z.record(z.string(), z.unknown())),
    idempotent: true,
  });
  return chatsOf(updates);
}

const partWithChat = z.object({
  chat: z.object({
    id: z.union([z.number(), z.string()]).transform(String),
    type: z.string(),
    title: z.string().optional(),
    first_name: z.string().optional(),
    last_name: z.string().optional(),
  }),
});

/** The chats of updates of any type, each once, as it was named last. */
function chatsOf(updates: readonly Record<string, unknown>[]): Chat[] {
  const found = new Map<string, Chat>();
  for (const part of updates.flatMap(Object.values)) {
    const chat = partWithChat.safeParse(part).data?.chat;
    if (chat === undefined) continue;
    const { id, type, title, first_name: first, last_name: last } = chat;
    found.set(id, { id, type, title: title ?? [first, last].filter(Boolean).join(" ") });
  }
  return [...found.values()];
}
