/**
 * The demo that stays up: something happens by itself, and the rest is tried by hand.
 * @module
 */
import { signedHeaders } from "./site.ts";
import type { System } from "./system.ts";
import type { TelegramApi } from "./telegram_api.ts";

const ROOT = new URL("../", import.meta.url);
const SETTINGS_FILE = ".hookwork/demo.env";
const LOOK_MS = 200;
/** In the words of a shell, which puts in an id that is new each second. */
const UPDATE =
  `'{"update_id":'$(date +%s)',"message":{"message_id":1,"date":0,"chat":{"id":1,"type":"private"},"text":"/ping"}}'`;

/** Sends a form and a message, so that there is something to see. */
export async function playSamples({ site, telegram }: System): Promise<void> {
  await site.post(JSON.stringify({ id: "demo-1", subject: "The demo's own form" }));
  await telegram.write("/ping");
}

/** Tells of each message that Telegram delivers, until stopped. */
export async function watchMessages(
  telegram: TelegramApi,
  tell: (line: string) => void,
  stop: AbortSignal,
): Promise<void> {
  for (let told = 0; !stop.aborted; await new Promise((wake) => setTimeout(wake, LOOK_MS))) {
    const fresh = telegram.messages.slice(told);
    told += fresh.length;
    fresh.forEach(({ chatId, text }) => tell(`to chat ${chatId}: ${text}`));
  }
}

/** Keeps the demo's settings in a file for the CLI, until disposed of. */
export async function shareSettings({ settings }: System): Promise<AsyncDisposable> {
  const lines = Object.entries(settings).map(([name, value]) => `${name}=${value}\n`);
  const path = new URL(SETTINGS_FILE, ROOT);
  await Deno.writeTextFile(path, lines.join(""), { mode: 0o600 });
  return { [Symbol.asyncDispose]: () => Deno.remove(path) };
}

/** What can be tried, as lines to be pasted. */
export function introduce({ address, settings }: System): string {
  const form = JSON.stringify({ id: "try-1", subject: "A form of the site" });
  const [hook, secret] = [`${address}/hooks/telegram`, settings.TELEGRAM_WEBHOOK_SECRET];
  return `
Hookwork is up at ${address}. Ctrl-C ends everything. To be pasted into another terminal:

A signed form of the site; sent again, it is a duplicate:
  ${curl(`${address}/hooks/site`, signedHeaders(form, settings.SITE_WEBHOOK_SECRET), `'${form}'`)}

/ping to the bot, as Telegram delivers it:
  ${curl(hook, { "x-telegram-bot-api-secret-token": secret }, UPDATE)}

How it stands, what was given up, and whatever else the CLI knows:
  env $(cat ${SETTINGS_FILE}) ./denow task cli status
  env $(cat ${SETTINGS_FILE}) ./denow task cli failed
`;
}

function curl(url: string, headers: Readonly<Record<string, string>>, body: string): string {
  const given = Object.entries(headers).map(([name, value]) => `-H '${name}: ${value}'`).join(" ");
  return `curl -i ${url} ${given} --data-raw ${body}`;
}
