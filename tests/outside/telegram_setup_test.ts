import { assert, assertEquals, assertRejects } from "@std/assert";
import type { TelegramApi } from "../../demo/telegram_api.ts";
import { PermanentError, TemporaryError } from "../../lib/base/errors.ts";
import { telegramSetup } from "../../lib/outside/telegram_setup.ts";
import { contextOf, fakeTelegram, TOKEN } from "./support.ts";
import { serveHttp } from "./servers.ts";

const HOOK = "https://hooks.example/hooks/telegram";

function setupOf(api: TelegramApi) {
  const settings = { TELEGRAM_BOT_TOKEN: TOKEN, TELEGRAM_API: api.url.href };
  return telegramSetup.create(settings, contextOf());
}

Deno.test("getMe() tells whose token it is", async () => {
  await using api = await fakeTelegram();
  assertEquals(await setupOf(api).getMe(), { id: 123456, username: "fake_bot" });
});

Deno.test("chats() finds each chat that wrote to the bot once, groups and persons alike", async () => {
  await using api = await fakeTelegram();
  await api.write("hello");
  await api.write("hello from the group", -1001234567890123);
  await api.write("again");
  assertEquals(await setupOf(api).chats(), [
    { id: "500000001", type: "private", title: "Visitor" },
    { id: "-1001234567890123", type: "supergroup", title: "Fake group" },
  ]);
});

Deno.test("chats() says that a webhook is in the way, instead of finding nothing", async () => {
  await using api = await fakeTelegram();
  const setup = setupOf(api);
  await setup.setWebhook(HOOK, "s3cret");
  await assertRejects(() => setup.chats(), PermanentError, "remove the webhook first");
  await setup.setWebhook("", "s3cret");
  assertEquals(await setup.chats(), []);
});

Deno.test("setWebhook() has updates sent with the secret", async () => {
  await using api = await fakeTelegram();
  const secrets: (string | null)[] = [];
  await using hook = serveHttp(({ headers }) => {
    secrets.push(headers.get("x-telegram-bot-api-secret-token"));
    return new Response();
  });
  const setup = setupOf(api);
  assertEquals((await setup.webhookInfo()).url, "");
  await setup.setWebhook(hook.url.href, "s3cret");
  assertEquals(await api.write("hello"), 200);
  assertEquals(secrets, ["s3cret"]);
  assertEquals(await setup.webhookInfo(), { url: hook.url.href, pendingUpdates: 0 });
});

Deno.test("webhookInfo() tells when and why the latest delivery failed", async () => {
  await using api = await fakeTelegram();
  await using hook = serveHttp(() => new Response(null, { status: 500 }));
  const setup = setupOf(api);
  await setup.setWebhook(hook.url.href, "s3cret");
  await api.write("hello");
  const { lastError } = await setup.webhookInfo();
  assertEquals(lastError?.message, "Wrong response from the webhook: 500");
  assert(lastError!.at.getTime() > Date.UTC(2020, 0));
});

Deno.test("setWebhook() reports a secret that Telegram refuses", async () => {
  await using api = await fakeTelegram();
  await assertRejects(
    () => setupOf(api).setWebhook(HOOK, "no spaces"),
    PermanentError,
    "unallowed",
  );
});

Deno.test("An answer that was lost is tried again later, since setting up twice does no harm", async () => {
  await using api = await fakeTelegram();
  api.failNext({ lost: true });
  await assertRejects(() => setupOf(api).setWebhook(HOOK, "s3cret"), TemporaryError);
});
