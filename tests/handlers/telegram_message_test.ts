import { assertEquals, assertRejects } from "@std/assert";
import type { Clients } from "../../lib/contract.ts";
import { OutcomeUnknownError } from "../../lib/base/errors.ts";
import { telegramMessage } from "../../lib/handlers/telegram_message.ts";
import { telegram } from "../../lib/outside/telegram.ts";
import { contextOf, fakeTelegram, TOKEN } from "../outside/support.ts";
import { fits, run } from "./support.ts";

function clientsOf(api: { readonly url: URL }): Clients<typeof telegramMessage.clients> {
  const settings = {
    TELEGRAM_BOT_TOKEN: TOKEN,
    TELEGRAM_API: api.url.href,
    TELEGRAM_ALERT_CHAT_ID: "1",
  };
  return { telegram: telegram.create(settings, contextOf()) };
}

const payload = (text: string) => ({ chatId: "-4500", messageId: 7, text });

Deno.test("telegram.message answers each form of /ping once, in the chat it came from", async () => {
  await using api = await fakeTelegram();
  const clients = clientsOf(api);
  for (const text of ["/ping", "/ping@fake_bot", "  /ping\n"]) {
    assertEquals(await run(telegramMessage, payload(text), { clients }), {
      result: "answered pong",
    });
  }
  assertEquals(api.messages.map(({ chatId, text }) => [chatId, text]), [
    ["-4500", "pong"],
    ["-4500", "pong"],
    ["-4500", "pong"],
  ]);
});

Deno.test("telegram.message does not answer what is not for it", async () => {
  await using api = await fakeTelegram();
  const clients = clientsOf(api);
  for (const text of ["", "ping", "/pingpong", "/ping me", "see /ping", "/ping@", "/start"]) {
    assertEquals(await run(telegramMessage, payload(text), { clients }), {
      result: "nothing to answer",
    });
  }
  assertEquals(api.calls, []);
});

Deno.test("telegram.message hides nothing when it is not known whether the answer arrived", async () => {
  await using api = await fakeTelegram();
  api.failNext({ lost: true });
  const clients = clientsOf(api);
  await assertRejects(
    () => run(telegramMessage, payload("/ping"), { clients }),
    OutcomeUnknownError,
  );
});

Deno.test("telegram.message refuses a chat's id that was rounded to a number", () => {
  assertEquals(fits(telegramMessage, payload("/ping")), true);
  assertEquals(fits(telegramMessage, { ...payload("/ping"), chatId: -4500 }), false);
});
