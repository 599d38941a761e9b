/**
 * The commands that set up the Telegram bot.
 * @module
 */
import * as parse from "../arguments.ts";
import * as telegram from "../commands/telegram.ts";
import { openBot } from "../open.ts";
import type { Cli } from "./cli.ts";

/** Adds them to the program. */
export function telegramCommands({ host, command, show }: Cli): void {
  const bot = command("telegram", "set up the Telegram bot");

  command("chats", "list the chats that wrote to the bot, with their ids", bot)
    .action(async () => show(await telegram.chats(openBot(host)), telegram.renderChats));

  command("set-webhook", "have updates sent to this receiver", bot)
    .argument("<url>", "https://<your domain>/hooks/telegram", parse.parseHttpsUrl)
    .action(async (url) => show(await telegram.setWebhook(host, url), telegram.renderWebhookSet));

  command("webhook-info", "tell whether updates arrive", bot)
    .action(async () =>
      show(await telegram.webhookInfo(openBot(host), host.now()), telegram.renderWebhook)
    );
}
