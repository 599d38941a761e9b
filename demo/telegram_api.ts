/**
 * A Telegram Bot API on 127.0.0.1: keeps what it is sent, and fails when it is told to.
 * @module
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { ApiError, createBot, type Parameters, type SentMessage } from "./telegram_bot.ts";

/** How a call goes wrong. */
export type Failure =
  /** Refused in Telegram's own form; nothing is delivered. */
  | { readonly status: number; readonly description?: string; readonly retryAfter?: number }
  /** Refused, since the group became a supergroup with this id. */
  | { readonly migrateTo: number }
  /** Refused with a page of something that stands between. */
  | { readonly status: number; readonly page: string }
  /** Carried out, then the connection is dropped without an answer. */
  | { readonly lost: true }
  /** Carried out, then answered late. */
  | { readonly delayMs: number };

/** What the fake starts with. */
export interface Options {
  /** 0, any free port, when absent. */
  readonly port?: number;
  readonly token: string;
}

/** A running fake. Dispose of it to close its port and its connections. */
export interface TelegramApi extends AsyncDisposable {
  /** What TELEGRAM_API is to be set to. */
  readonly url: URL;
  /** All that was delivered, in order. */
  readonly messages: readonly SentMessage[];
  /** The names of all methods called with the right token, in order. */
  readonly calls: readonly string[];
  /** The next calls, of whatever method, go wrong in this order. */
  failNext(...failures: Failure[]): void;
  /** Each message to this chat goes wrong, until it is called without a failure. */
  failChat(chatId: string | number, failure?: Failure): void;
  /** Someone writes to the bot. The status of the webhook's answer; undefined when none is set. */
  write(text: string, chatId?: number): Promise<number | undefined>;
}

/** Starts the fake with one bot. */
export async function startTelegramApi({ port = 0, token }: Options): Promise<TelegramApi> {
  const bot = createBot(token);
  const calls: string[] = [];
  const queue: Failure[] = [];
  const chatFailures = new Map<string, Failure>();

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await buffer(request).catch(() => undefined);
    // Its sender was killed, or gave up.
    if (body === undefined) return;
    try {
      const method = bot.methodOf(request.url ?? "");
      const parameters = parse(body.toString());
      calls.push(method);
      const failure = queue.shift() ??
        (method === "sendMessage" ? chatFailures.get(`${parameters.chat_id}`) : undefined);
      if (failure !== undefined && "page" in failure) return page(response, failure);
      refuse(failure);
      const result = bot.run(method, parameters);
      if (failure !== undefined && "lost" in failure) return void response.destroy();
      const delayMs = failure !== undefined && "delayMs" in failure ? failure.delayMs : 0;
      later(response, delayMs, () => send(response, 200, { ok: true, result }));
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      send(response, error.status, {
        ok: false,
        error_code: error.status,
        description: error.message,
        parameters: error.parameters,
      });
    }
  }

  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  return {
    url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
    messages: bot.messages,
    calls,
    failNext: (...failures) => void queue.push(...failures),
    failChat(chatId, failure) {
      if (failure === undefined) chatFailures.delete(`${chatId}`);
      else chatFailures.set(`${chatId}`, failure);
    },
    write: (text, chatId) => bot.write(text, chatId),
    [Symbol.asyncDispose]() {
      return new Promise<void>((resolve, reject) => {
        server.close((error) => error ? reject(error) : resolve());
        server.closeAllConnections();
      });
    },
  };
}

function parse(body: string): Parameters {
  try {
    return body === "" ? {} : JSON.parse(body);
  } catch {
    throw new ApiError(400, "Bad Request: can't parse JSON object");
  }
}

function refuse(failure: Failure | undefined): void {
  if (failure === undefined) return;
  if ("migrateTo" in failure) {
    throw new ApiError(
      400,
      "Bad Request: group chat was upgraded to a supergroup chat",
      { migrate_to_chat_id: failure.migrateTo },
    );
  }
  if (!("status" in failure)) return;
  const { status, description, retryAfter } = failure as Extract<Failure, { retryAfter?: number }>;
  throw new ApiError(
    status,
    description ?? `Failed on demand with ${status}`,
    retryAfter === undefined ? undefined : { retry_after: retryAfter },
  );
}

function page(response: ServerResponse, failure: { status: number; page: string }): void {
  response.writeHead(failure.status, { "content-type": "text/html" }).end(failure.page);
}

function send(response: ServerResponse, status: number, answer: unknown): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(answer));
}

function later(response: ServerResponse, delayMs: number, act: () => void): void {
  if (delayMs === 0) return act();
  const timer = setTimeout(act, delayMs);
  response.once("close", () => clearTimeout(timer));
}
