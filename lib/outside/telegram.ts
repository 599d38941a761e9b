/**
 * Messages and alerts by a Telegram bot.
 * @module
 */
import { z } from "zod";
import type { AlertOutcome, Alerts, Log } from "../contract.ts";
import { defineClient } from "../define.ts";
import { describeError, PermanentError, TemporaryError } from "../base/errors.ts";
import { text } from "../base/settings.ts";
import { cutText } from "../base/text.ts";
import { type BotApi, botSettings, ChatMigratedError, createBotApi } from "./telegram_api.ts";

/** Characters of one message. The unit is not documented; UTF-16 is the one of its entities. */
const MAX_TEXT_UNITS = 4096;

/** Sends plain text: no markup of a name or an error can make a message fail. */
export interface Telegram extends Alerts {
  /**
   * Sends a text, cut to 4096 UTF-16 units; to the supergroup that the group has become, if so.
   * Throws as `createBotApi` says. Not idempotent, since the API knows no key: when no answer comes,
   * that is an OutcomeUnknownError.
   */
  sendMessage(chatId: string | number, text: string): Promise<{ readonly messageId: number }>;
}

/** The bot of TELEGRAM_BOT_TOKEN, with alerts to TELEGRAM_ALERT_CHAT_ID. */
export const telegram = defineClient({
  settings: {
    ...botSettings,
    TELEGRAM_ALERT_CHAT_ID: text("The Telegram chat that is told when work is given up."),
  },
  create(settings, context): Telegram {
    const { log } = context;
    const api = createBotApi(settings, context);
    const send: Telegram["sendMessage"] = (chatId, text) => sendMessage(api, chatId, text, log);
    return {
      sendMessage: send,
      alert: (text) =>
        send(settings.TELEGRAM_ALERT_CHAT_ID, text)
          .then((): AlertOutcome => ({ is: "sent" }), alertOutcome),
    };
  },
});

/** What an error of `sendMessage` means for an alert; of an unfamiliar one it is not known. */
export function alertOutcome(error: unknown): AlertOutcome {
  const why = describeError(error);
  if (error instanceof PermanentError) return { is: "refused", why };
  if (!(error instanceof TemporaryError)) return { is: "unknown", why };
  return { is: "failed", why, retryAfterSeconds: error.retryAfterSeconds };
}

async function sendMessage(api: BotApi, chatId: string | number, text: string, log: Log) {
  if (text.trim() === "") {
    throw new PermanentError("Cannot send a Telegram message: it is empty; give it a text");
  }
  try {
    return await sendTo(api, chatId, text);
  } catch (error) {
    if (!(error instanceof ChatMigratedError)) throw error;
    const { newChatId } = error;
    log.warn("a Telegram group has a new id: use it, also in the settings", { chatId, newChatId });
    return await sendTo(api, newChatId, text);
  }
}

async function sendTo(api: BotApi, chatId: string | number, text: string) {
  const { message_id: messageId } = await api({
    name: "sendMessage",
    what: `send a message to the Telegram chat ${chatId}`,
    parameters: { chat_id: chatId, text: cutText(text, MAX_TEXT_UNITS) },
    result: z.object({ message_id: z.number() }),
    idempotent: false,
    chat: `${chatId}`,
  });
  return { messageId };
}
