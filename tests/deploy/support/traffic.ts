/** Deliveries that come at a steady pace through a proxy, until they are told to end. */

import { postHead } from "../../web/wire.ts";
import type { WebProxy } from "./proxies.ts";

const SECRET_HEADER = "x-telegram-bot-api-secret-token";

/** What became of the deliveries: how often each status came, or why none did. */
export type Answers = Record<string, number>;

/** Deliveries under way. */
export interface Traffic {
  /** What was answered so far. */
  readonly answers: Answers;
  /** Ends after the ones under way; gives how many were sent. */
  stop(): Promise<number>;
}

/** Messages to the bot, so many a second in all, over so many connections that are kept. */
export function startTraffic(
  proxy: WebProxy,
  { secret, perSecond, connections }: { secret: string; perSecond: number; connections: number },
): Traffic {
  const answers: Answers = {};
  const stopping = Promise.withResolvers<void>();
  let going = true;
  let sent = 0;
  const pauseMs = 1000 * connections / perSecond;
  const send = async () => {
    using wire = await proxy.dial();
    while (going) {
      const due = performance.now() + pauseMs;
      const body = messageOf(++sent);
      const headers = { host: "localhost", [SECRET_HEADER]: secret };
      await wire.write(postHead("/hooks/telegram", body.length, headers) + body);
      const { status } = await wire.read();
      answers[status] = (answers[status] ?? 0) + 1;
      await pause(due - performance.now(), stopping.promise);
    }
  };
  /** A connection that is lost takes its delivery along; the next one goes on. */
  const sendOn = async () => {
    while (going) {
      await send().catch((error) => answers[error.message] = (answers[error.message] ?? 0) + 1);
    }
  };
  const over = Promise.all(Array.from({ length: connections }, sendOn));
  return {
    answers,
    async stop() {
      going = false;
      stopping.resolve();
      await over;
      return sent;
    },
  };
}

function messageOf(number: number): string {
  const message = { message_id: number, date: 0, chat: { id: 1, type: "private" }, text: "Hello" };
  return JSON.stringify({ update_id: number, message });
}

async function pause(ms: number, stopped: Promise<void>): Promise<void> {
  const passed = Promise.withResolvers<void>();
  const timer = setTimeout(passed.resolve, Math.max(0, ms));
  await Promise.race([passed.promise, stopped]);
  clearTimeout(timer);
}
