/** What the tests of Telegram's clients share: a fake Telegram, and a log that can be read. */
import { startTelegramApi, type TelegramApi } from "../../demo/telegram_api.ts";
import type { ClientContext, Log } from "../../lib/contract.ts";
import { noLanes } from "../../lib/outside/lanes.ts";

/** The token of the fake bot; its key is to appear nowhere. */
export const TOKEN = "123456:KEY-of_the_bot";

/** A fake Telegram with the bot of TOKEN. */
export function fakeTelegram(): Promise<TelegramApi> {
  return startTelegramApi({ token: TOKEN });
}

/** A log whose lines are kept. */
export function keptLog(): Log & { readonly lines: string[] } {
  const lines: string[] = [];
  const keep = (message: string, properties?: Record<string, unknown>) =>
    void lines.push(`${message} ${JSON.stringify(properties)}`);
  const log = { lines, debug: keep, info: keep, warn: keep, error: keep, with: () => log };
  return log;
}

/** What a client is given by a job that nothing stops. */
export function contextOf(parts: Partial<ClientContext> = {}): ClientContext {
  return {
    signal: new AbortController().signal,
    log: keptLog(),
    shadow: false,
    lanes: noLanes,
    get sql(): never {
      throw new Error("This client was to need no database");
    },
    ...parts,
  };
}
