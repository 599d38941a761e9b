import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { startTelegramApi, type TelegramApi } from "../../../demo/telegram_api.ts";
import { judgeWebhook } from "../../../lib/cli/commands/telegram.ts";
import { cli, environment } from "../support.ts";

const TOKEN = "123:bot-s3cret";
const NOW = new Date("2026-03-01T12:00:00Z");
const HOOK = "https://hooks.example/hooks/telegram";

/** All that is known before the chat that is told of failures. */
function beforeChat(telegram: TelegramApi): Record<string, string> {
  const { TELEGRAM_ALERT_CHAT_ID: _, ...given } = environment("postgres://u@127.0.0.1:1/x");
  return { ...given, TELEGRAM_API: telegram.url.href };
}

const errorAgo = (seconds: number) => ({
  at: new Date(NOW.getTime() - seconds * 1000),
  message: "Connection timed out",
});

Deno.test("telegram chats finds the chat to be told without knowing one, and without the database", async () => {
  await using telegram = await startTelegramApi({ token: TOKEN });
  await telegram.write("hello", -1001234567890);
  const { exitCode, output } = await cli(beforeChat(telegram), ["telegram", "chats"]);
  assertEquals(exitCode, 0);
  assert(/-1001234567890 +supergroup/.test(output), output);
});

Deno.test("telegram chats says what to do when nobody wrote to the bot", async () => {
  await using telegram = await startTelegramApi({ token: TOKEN });
  const { exitCode, output } = await cli(beforeChat(telegram), ["telegram", "chats"]);
  assertEquals(exitCode, 0);
  assertStringIncludes(output, "Write to it");
});

Deno.test("telegram set-webhook sends the first secret, which is the new one while it changes", async () => {
  await using telegram = await startTelegramApi({ token: TOKEN });
  const secrets: string[] = [];
  const api = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    async (request) => {
      const body = await request.text();
      const { secret_token: secret } = JSON.parse(body);
      if (secret) secrets.push(secret);
      return await fetch(new URL(new URL(request.url).pathname, telegram.url), {
        method: "POST",
        body,
      });
    },
  );
  const given = {
    ...beforeChat(telegram),
    TELEGRAM_API: `http://127.0.0.1:${api.addr.port}`,
    TELEGRAM_WEBHOOK_SECRET: "new-s3cret,old-s3cret",
  };
  const { exitCode, output } = await cli(given, ["telegram", "set-webhook", HOOK]);
  await api.shutdown();
  assertEquals({ exitCode, secrets }, { exitCode: 0, secrets: ["new-s3cret"] });
  assertStringIncludes(output, HOOK);
  assert(!output.includes("s3cret"));
});

Deno.test("telegram set-webhook takes no address that Telegram would not call", async () => {
  await using telegram = await startTelegramApi({ token: TOKEN });
  const args = ["telegram", "set-webhook", "http://hooks.example/hooks/telegram"];
  assertEquals((await cli(beforeChat(telegram), args)).exitCode, 2);
  assertEquals(telegram.calls, []);
});

Deno.test("telegram webhook-info says that nothing can arrive when no webhook is set", async () => {
  await using telegram = await startTelegramApi({ token: TOKEN });
  const { exitCode, output } = await cli(beforeChat(telegram), ["telegram", "webhook-info"]);
  assertEquals(exitCode, 0);
  assertStringIncludes(output, "Not well: no webhook is set");
});

Deno.test("telegram shows that the token is refused, but never the token", async () => {
  await using telegram = await startTelegramApi({ token: "123:another" });
  const { exitCode, errors } = await cli(beforeChat(telegram), ["telegram", "webhook-info"]);
  assertEquals(exitCode, 1);
  assertStringIncludes(errors, "401");
  assert(!errors.includes(TOKEN));
});

Deno.test("judgeWebhook() takes an error for present only while updates wait and it is recent", () => {
  const verdicts = [
    { url: HOOK, pendingUpdates: 0 },
    { url: HOOK, pendingUpdates: 0, lastError: errorAgo(30) },
    { url: HOOK, pendingUpdates: 4, lastError: errorAgo(86_400) },
    { url: HOOK, pendingUpdates: 4 },
    { url: HOOK, pendingUpdates: 4, lastError: errorAgo(125) },
    { url: "", pendingUpdates: 0 },
  ].map((info) => judgeWebhook(info, NOW));
  assertEquals(verdicts.map((verdict) => verdict.split(":")[0]), [
    "All is well",
    "All is well",
    "All seems well",
    "All seems well",
    "Not well",
    "Not well",
  ]);
  assertStringIncludes(verdicts[4]!, "4 update(s) wait");
  assertStringIncludes(verdicts[4]!, "2 min 5 s ago: Connection timed out");
});
