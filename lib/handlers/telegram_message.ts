/**
 * Someone wrote to the Telegram bot.
 * @module
 */
import { z } from "zod";
import { defineHandler } from "../define.ts";
import { telegram } from "../outside/telegram.ts";

/** `telegram.message`: answers `pong` to `/ping`, in a group `/ping@<bot>`; says nothing to anything else. */
export const telegramMessage = defineHandler({
  kind: "telegram.message",
  payload: z.object({ chatId: z.string(), messageId: z.number(), text: z.string() }),
  clients: { telegram },
  lane: "telegram",
  async run({ chatId, text }, { clients }) {
    if (!/^\/ping(@\w+)?$/.test(text.trim())) return { result: "nothing to answer" };
    await clients.telegram.sendMessage(chatId, "pong");
    return { result: "answered pong" };
  },
});
