/**
 * `hookwork telegram`: sets a bot up, and tells whether its webhook works.
 * @module
 */
import { loadConfig } from "../../base/config.ts";
import { formatSeconds } from "../../base/span.ts";
import type { Chat, TelegramSetup, WebhookInfo } from "../../outside/telegram_setup.ts";
import type { Host } from "../host.ts";
import { allSettings } from "../../registry.ts";
import { openBot } from "../open.ts";
import type { Page } from "../output.ts";
import { renderTable } from "../table.ts";

/** How long a failure counts as present. Telegram tries again within minutes. */
const RECENT_SECONDS = 3600;

/** The chats that wrote to the bot in the last day. */
export async function chats(bot: Pick<TelegramSetup, "chats">): Promise<Chat[]> {
  return await bot.chats();
}

/** A table whose first column is what TELEGRAM_ALERT_CHAT_ID wants. */
export function renderChats(found: readonly Chat[], page: Page): string {
  if (found.length === 0) {
    return "No chat wrote to the bot in the last day. Write to it, or add it to a group, then ask again.";
  }
  const table = renderTable(found, [
    { title: "CHAT ID", cell: (chat) => chat.id, right: true },
    { title: "TYPE", cell: (chat) => chat.type },
    { title: "NAME", cell: (chat) => chat.title, flexible: true },
  ], page.columns);
  return `${table}\n\nSet TELEGRAM_ALERT_CHAT_ID to the chat that is to be told of failures.`;
}

/** Has updates sent to an address, with the first of TELEGRAM_WEBHOOK_SECRET; the new webhook. */
export async function setWebhook(host: Host, url: string): Promise<WebhookInfo> {
  const { TELEGRAM_WEBHOOK_SECRET } = allSettings();
  const config = loadConfig(host.environment, {
    TELEGRAM_WEBHOOK_SECRET: TELEGRAM_WEBHOOK_SECRET!,
  });
  const [secret] = config.TELEGRAM_WEBHOOK_SECRET as readonly string[];
  const bot = openBot(host);
  await bot.setWebhook(url, secret!);
  return await bot.webhookInfo();
}

/** The address, as Telegram took it. */
export function renderWebhookSet({ url }: WebhookInfo): string {
  return `Telegram sends updates to ${url} now.\nWhether they arrive:  hookwork telegram webhook-info`;
}

/** Where updates go. */
export interface Webhook extends WebhookInfo {
  /** In words, for a person. */
  readonly verdict: string;
}

/** Asks Telegram, and judges by the clock: the last error it names may be long over. */
export async function webhookInfo(
  bot: Pick<TelegramSetup, "webhookInfo">,
  now: Date,
): Promise<Webhook> {
  const info = await bot.webhookInfo();
  return { ...info, verdict: judgeWebhook(info, now) };
}

/** Whether all is well, in words. */
export function judgeWebhook({ url, pendingUpdates, lastError }: WebhookInfo, now: Date): string {
  if (url === "") {
    return "Not well: no webhook is set, so nothing arrives; " +
      "see `hookwork telegram set-webhook --help`";
  }
  const waiting = `${pendingUpdates} update(s) wait`;
  if (lastError === undefined) {
    return pendingUpdates === 0
      ? "All is well: nothing waits, and Telegram knows of no failure."
      : `All seems well: ${waiting}, and Telegram knows of no failure.`;
  }
  const seconds = (now.getTime() - lastError.at.getTime()) / 1000;
  const failure = `the last failure was ${formatSeconds(seconds)} ago`;
  if (pendingUpdates === 0) return `All is well: nothing waits; ${failure} and is over.`;
  if (seconds > RECENT_SECONDS) return `All seems well: ${waiting}, but ${failure}.`;
  return `Not well: ${waiting}, and ${failure}: ${lastError.message}`;
}

/** The verdict first, then what it rests on. */
export function renderWebhook({ verdict, url, lastError }: Webhook, page: Page): string {
  const error = lastError && `Last error: ${page.time(lastError.at)}  ${lastError.message}`;
  return [verdict, ...(url === "" ? [] : [`Address:    ${url}`]), ...(error ? [error] : [])].join(
    "\n",
  );
}
