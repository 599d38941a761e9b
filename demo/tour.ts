/**
 * The demo that stays up: something happens by itself, and the rest is tried by hand.
 * @module
 */
import type { Amocrm } from "./fake_amocrm/server.ts";
import { createDeal, STAGE } from "./sample_account.ts";
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
  { messages }: TelegramApi,
  tell: (line: string) => void,
  stop: AbortSignal,
): Promise<void> {
  await follow(messages, ({ chatId, text }) => tell(`to chat ${chatId}: ${text}`), stop);
}

/** Tells of each note that a deal gets, until stopped. */
export async function watchNotes(
  { crm: { notes } }: Amocrm,
  tell: (line: string) => void,
  stop: AbortSignal,
): Promise<void> {
  await follow(
    notes,
    ({ entity_id, params }) => tell(`note on deal ${entity_id}: ${params.text}`),
    stop,
  );
}

async function follow<T>(
  list: readonly T[],
  tell: (fresh: T) => void,
  stop: AbortSignal,
): Promise<void> {
  for (let told = 0; !stop.aborted; await new Promise((wake) => setTimeout(wake, LOOK_MS))) {
    while (told < list.length) tell(list[told++]!);
  }
}

/** Keeps the demo's settings in a file that a shell reads, for the CLI, until disposed of. */
export async function shareSettings({ settings }: System): Promise<AsyncDisposable> {
  const lines = Object.entries(settings).map(([name, value]) =>
    `export ${name}=${quoted(value)}\n`
  );
  const path = new URL(SETTINGS_FILE, ROOT);
  // Not there yet when the database is somebody else's.
  await Deno.mkdir(new URL(".", path), { recursive: true });
  await Deno.writeTextFile(path, lines.join(""), { mode: 0o600 });
  return { [Symbol.asyncDispose]: () => Deno.remove(path) };
}

/** What can be tried, as lines to be pasted. */
export function introduce({ address, settings, amocrm, documents }: System): string {
  const deal = createDeal(amocrm).id;
  const form = JSON.stringify({ id: "try-1", subject: "A form of the site" });
  const [hook, secret] = [`${address}/hooks/telegram`, settings.TELEGRAM_WEBHOOK_SECRET];
  return `
Hookwork is up at ${address}. Ctrl-C ends everything. To be pasted into another terminal:

A signed form of the site; sent again, it is a duplicate:
  ${curl(`${address}/hooks/site`, signedHeaders(form, settings.SITE_WEBHOOK_SECRET), `'${form}'`)}

/ping to the bot, as Telegram delivers it:
  ${curl(hook, { "x-telegram-bot-api-secret-token": secret }, UPDATE)}

How it stands, what was given up, and whatever else the CLI knows:
  ${hookwork("status")}
  ${hookwork("failed")}

A deal of the fake amoCRM, dragged to the stage of contracts and back, as often as you like:
  ${drag(amocrm, deal, STAGE.contract)}
  ${drag(amocrm, deal, STAGE.new)}

Its contract as a PDF, and all that led to it:
  ls ${documents}
  ${hookwork(`contract ${deal}`)}
`;
}

/** The command that drags a deal to a stage. */
export function drag({ url }: Amocrm, deal: number, stage: number): string {
  return `curl -X PATCH ${url.origin}/_fake/leads/${deal} --data-raw '{"status_id":${stage}}'`;
}

function hookwork(command: string): string {
  return `(. ${SETTINGS_FILE} && ./denow task cli ${command})`;
}

function quoted(value: string): string {
  return `'${value.replaceAll("'", "'\\''")}'`;
}

function curl(url: string, headers: Readonly<Record<string, string>>, body: string): string {
  const given = Object.entries(headers).map(([name, value]) => `-H '${name}: ${value}'`).join(" ");
  return `curl -i ${url} ${given} --data-raw ${body}`;
}
