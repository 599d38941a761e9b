/**
 * What the source and the client of Telegram both need to know of the bot.
 * @module
 */
import { z } from "zod";
import type { Setting } from "../setting.ts";
import { secret } from "./settings.ts";

const anySecret = secret("The token of the Telegram bot, as @BotFather shows it.");

/** The setting TELEGRAM_BOT_TOKEN: the bot's number, a colon, and its key. */
export const telegramBotToken: Setting<string> = {
  ...anySecret,
  schema: anySecret.schema.pipe(
    z.string().regex(/^\d+:[\w-]+$/, "is no bot's token; copy digits, colon and key, nothing else"),
  ),
};

/** The number of the bot that a token belongs to. */
export function botIdOf(token: string): string {
  return token.slice(0, token.indexOf(":"));
}
