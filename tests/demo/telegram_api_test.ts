import { assert, assertEquals, assertRejects } from "@std/assert";
import { startTelegramApi, type TelegramApi } from "../../demo/telegram_api.ts";

const TOKEN = "123456:KEY";
const start = () => startTelegramApi({ token: TOKEN });

async function callApi(
  api: TelegramApi,
  method: string,
  parameters: Record<string, unknown> = {},
  { token = TOKEN, signal }: { token?: string; signal?: AbortSignal } = {},
) {
  const url = new URL(`/bot${token}/${method}`, api.url);
  const body = JSON.stringify(parameters);
  const response = await fetch(url, { method: "POST", body, signal });
  const { ok, error_code, description } = await response.json();
  return { status: response.status, ok, error_code, description };
}

Deno.test("The fake refuses what Telegram would refuse, in Telegram's form", async () => {
  await using api = await start();
  const statusOf = async (parameters: Record<string, unknown>) =>
    (await callApi(api, "sendMessage", parameters)).status;
  assertEquals(await statusOf({ text: "a" }), 400);
  assertEquals(await statusOf({ chat_id: 1 }), 400);
  assertEquals(await statusOf({ chat_id: 1, text: "x".repeat(4097) }), 400);
  assertEquals(await statusOf({ chat_id: 1, text: "x".repeat(4096) }), 200);
  assertEquals(
    await callApi(api, "setWebhook", { url: "https://a.example", secret_token: "a b" }),
    {
      status: 400,
      ok: false,
      error_code: 400,
      description: "Bad Request: secret token contains unallowed characters",
    },
  );
});

Deno.test("The fake tells a wrong token from a malformed one and from an unknown method", async () => {
  await using api = await start();
  assertEquals((await callApi(api, "getMe", {}, { token: "123456:other" })).status, 401);
  assertEquals((await callApi(api, "getMe", {}, { token: "nonsense" })).status, 404);
  assertEquals((await callApi(api, "toString")).status, 404);
  assertEquals((await callApi(api, "getMe")).status, 200);
  assertEquals(api.calls, ["getMe"]);
});

Deno.test("failNext() spoils the next calls in order, and then no more", async () => {
  await using api = await start();
  api.failNext({ status: 502 }, { status: 403 });
  const message = { chat_id: 1, text: "a" };
  const statuses = [];
  for (let call = 0; call < 3; call++) {
    statuses.push((await callApi(api, "sendMessage", message)).status);
  }
  assertEquals(statuses, [502, 403, 200]);
  assertEquals(api.messages.length, 1);
});

Deno.test("failChat() spoils one chat until it is taken back, and no other", async () => {
  await using api = await start();
  const statusOf = async (chatId: number) =>
    (await callApi(api, "sendMessage", { chat_id: chatId, text: "a" })).status;
  api.failChat(1, { status: 403 });
  assertEquals([await statusOf(1), await statusOf(2), await statusOf(1)], [403, 200, 403]);
  api.failChat(1);
  assertEquals(await statusOf(1), 200);
});

Deno.test("A late answer and a lost one are delivered all the same", async () => {
  await using api = await start();
  const message = { chat_id: 1, text: "a" };
  api.failNext({ delayMs: 60_000 }, { lost: true });
  await assertRejects(() =>
    callApi(api, "sendMessage", message, { signal: AbortSignal.timeout(100) })
  );
  await assertRejects(() => callApi(api, "sendMessage", message), TypeError);
  assertEquals(api.messages.length, 2);
});

Deno.test("write() keeps an update for getUpdates while no webhook is set", async () => {
  await using api = await start();
  assertEquals(await api.write("hello"), undefined);
  const response = await fetch(new URL(`/bot${TOKEN}/getUpdates`, api.url), { method: "POST" });
  const { result } = await response.json();
  assert(result[0].update_id > 0);
  assertEquals(result[0].message.text, "hello");
});
