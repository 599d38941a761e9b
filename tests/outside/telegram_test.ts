import { assert, assertEquals, assertRejects } from "@std/assert";
import type { Failure, TelegramApi } from "../../demo/telegram_api.ts";
import {
  describeError,
  OutcomeUnknownError,
  PermanentError,
  TemporaryError,
} from "../../lib/base/errors.ts";
import type { Lanes } from "../../lib/contract.ts";
import { noLanes } from "../../lib/outside/lanes.ts";
import { alertOutcome, telegram } from "../../lib/outside/telegram.ts";
import { contextOf, fakeTelegram, keptLog, TOKEN } from "./support.ts";

const GROUP = "-4500";

function clientOf(
  api: Pick<TelegramApi, "url">,
  { token = TOKEN, log = keptLog(), lanes = noLanes } = {},
) {
  return telegram.create({
    TELEGRAM_BOT_TOKEN: token,
    TELEGRAM_API: api.url.href,
    TELEGRAM_ALERT_CHAT_ID: GROUP,
  }, contextOf({ log, lanes }));
}

Deno.test("sendMessage() delivers text full of markup as it is (rule 15)", async () => {
  await using api = await fakeTelegram();
  const text = 'x_y *a [b](c) <b> & "q" `stack` sync_lead';
  assertEquals(await clientOf(api).sendMessage(GROUP, text), { messageId: 1 });
  assertEquals(api.messages.map((message) => message.text), [text]);
});

Deno.test("sendMessage() keeps all digits of a chat's id, given as text or as a number", async () => {
  await using api = await fakeTelegram();
  await clientOf(api).sendMessage("-1004503599627370", "a");
  await clientOf(api).sendMessage(-4503599627370495, "b");
  assertEquals(api.messages.map(({ chatId }) => chatId), [
    "-1004503599627370",
    "-4503599627370495",
  ]);
});

Deno.test("sendMessage() cuts a text of 20,000 characters, which Telegram would refuse", async () => {
  await using api = await fakeTelegram();
  await clientOf(api).sendMessage(GROUP, "x" + "😀".repeat(10_000));
  const [message] = api.messages;
  assert(message!.text.length <= 4096);
  assert(message!.text.length > 4090);
  assert(message!.text.isWellFormed());
});

Deno.test("sendMessage() does not call Telegram with a text that is empty or blank", async () => {
  await using api = await fakeTelegram();
  for (const text of ["", " \n\t"]) {
    await assertRejects(() => clientOf(api).sendMessage(GROUP, text), PermanentError, "empty");
  }
  assertEquals(api.calls, []);
});

Deno.test("sendMessage() obeys retry_after of the body, which no header repeats (rule 13)", async () => {
  await using api = await fakeTelegram();
  api.failNext({ status: 429, retryAfter: 34 });
  const error = await assertRejects(() => clientOf(api).sendMessage(GROUP, "a"), TemporaryError);
  assertEquals(error.retryAfterSeconds, 34);
});

Deno.test("sendMessage() follows a group that became a supergroup, once, and says so", async () => {
  await using api = await fakeTelegram();
  const log = keptLog();
  api.failNext({ migrateTo: -1001234567890123 });
  await clientOf(api, { log }).sendMessage(GROUP, "a");
  assertEquals(api.messages.map(({ chatId }) => chatId), ["-1001234567890123"]);
  assert(log.lines.join().includes("-1001234567890123"));

  api.failNext({ migrateTo: -1001 }, { migrateTo: -1002 });
  await assertRejects(() => clientOf(api).sendMessage(GROUP, "b"), PermanentError, "-1002");
});

Deno.test("sendMessage() gives up what only a person can change, and names the remedy", async () => {
  await using api = await fakeTelegram();
  const remedies: [Failure, string][] = [
    [{ status: 400, description: "Bad Request: chat not found" }, "chat's id"],
    [{ status: 403, description: "Forbidden: bot was blocked by the user" }, "unblock"],
    [{ status: 401, description: "Unauthorized" }, "TELEGRAM_BOT_TOKEN"],
    [{ status: 404, description: "Not Found" }, "TELEGRAM_BOT_TOKEN"],
    [{ status: 404, page: "<html>" }, "TELEGRAM_API"],
    [{ status: 302, page: "moved" }, "TELEGRAM_API"],
  ];
  for (const [failure, remedy] of remedies) {
    api.failNext(failure);
    await assertRejects(() => clientOf(api).sendMessage(GROUP, "a"), PermanentError, remedy);
  }
  assertEquals(api.messages, []);
});

Deno.test("sendMessage() with the token of another bot is refused by name of the setting", async () => {
  await using api = await fakeTelegram();
  for (const token of ["654321:another", "123456:another"]) {
    const client = clientOf(api, { token });
    await assertRejects(() => client.sendMessage(GROUP, "a"), PermanentError, "TELEGRAM_BOT_TOKEN");
  }
});

Deno.test("sendMessage() may pass later when a proxy answers for Telegram", async () => {
  await using api = await fakeTelegram();
  api.failNext({ status: 502, page: "<html>Bad gateway</html>" });
  await assertRejects(() => clientOf(api).sendMessage(GROUP, "a"), TemporaryError, "502");
});

Deno.test("sendMessage() never takes a page with status 200 for a delivery", async () => {
  await using api = await fakeTelegram();
  api.failNext({ status: 200, page: "<html>Please log in</html>" });
  await assertRejects(() => clientOf(api).sendMessage(GROUP, "a"), OutcomeUnknownError);
});

Deno.test("sendMessage() does not repeat a message whose answer was lost", async () => {
  await using api = await fakeTelegram();
  api.failNext({ lost: true });
  await assertRejects(() => clientOf(api).sendMessage(GROUP, "a"), OutcomeUnknownError);
  assertEquals(api.messages.length, 1);
});

Deno.test("each refusal says what it concerns: the bot's lane, the chat's, or the message alone (rule 21)", async () => {
  await using api = await fakeTelegram();
  const concerned: [Failure, string | undefined][] = [
    [{ status: 401 }, "telegram"],
    [{ status: 404 }, "telegram"],
    [{ status: 429, retryAfter: 34 }, `telegram:${GROUP}`],
    [{ status: 429 }, `telegram:${GROUP}`],
    [{ status: 400 }, undefined],
    [{ status: 403 }, undefined],
    [{ status: 502, page: "<html>" }, undefined],
  ];
  for (const [failure, lane] of concerned) {
    api.failNext(failure);
    const error = await assertRejects(() => clientOf(api).sendMessage(GROUP, "a"));
    assert(error instanceof PermanentError || error instanceof TemporaryError);
    assertEquals(error.lane, lane, JSON.stringify(failure));
  }
});

Deno.test("each message goes through its chat's lane, at one a second, also to the group's new id", async () => {
  await using api = await fakeTelegram();
  const entered: unknown[] = [];
  const lanes: Lanes = {
    through: (lane, call, options) => {
      entered.push([lane, options?.perSecond]);
      return call();
    },
  };
  api.failNext({ migrateTo: -1001 });
  await clientOf(api, { lanes }).sendMessage(GROUP, "a");
  assertEquals(entered, [[`telegram:${GROUP}`, 1], ["telegram:-1001", 1]]);
});

Deno.test("alert() reports each end as what it is, and never throws (rule 15)", async () => {
  await using api = await fakeTelegram();
  const client = clientOf(api);
  assertEquals(await client.alert("a"), { is: "sent" });
  assertEquals(api.messages.map(({ chatId }) => chatId), [GROUP]);
  const ends: [Failure, string][] = [
    [{ status: 400 }, "refused"],
    [{ status: 401 }, "refused"],
    [{ status: 403 }, "refused"],
    [{ status: 404 }, "refused"],
    [{ status: 502 }, "failed"],
    [{ lost: true }, "unknown"],
  ];
  for (const [failure, end] of ends) {
    api.failNext(failure);
    assertEquals((await client.alert("a")).is, end, JSON.stringify(failure));
  }
  assertEquals((await client.alert("")).is, "refused");
});

Deno.test("alert() hands on the pause that Telegram asks for", async () => {
  await using api = await fakeTelegram();
  api.failNext({ status: 429, retryAfter: 34 });
  const outcome = await clientOf(api).alert("a");
  assert(outcome.is === "failed");
  assertEquals(outcome.retryAfterSeconds, 34);
});

Deno.test("alert() knows that nothing arrived where nobody listens", async () => {
  const api = await fakeTelegram();
  await api[Symbol.asyncDispose]();
  assertEquals((await clientOf(api).alert("a")).is, "failed");
});

Deno.test("alertOutcome() leaves open what an unfamiliar error did", () => {
  assertEquals(alertOutcome(new RangeError("odd")), { is: "unknown", why: "odd" });
});

Deno.test("No error and no line of log holds the token", async () => {
  await using api = await fakeTelegram();
  const down = await fakeTelegram();
  await down[Symbol.asyncDispose]();
  const log = keptLog();
  const failures: Failure[] = [
    { status: 404, page: `<p>${TOKEN}</p>` },
    { status: 400, description: `Bad Request: /bot${TOKEN}/sendMessage` },
    { status: 500, description: TOKEN },
    { lost: true },
    { migrateTo: -1001 },
  ];
  const said: string[] = [];
  for (const failure of failures) {
    api.failNext(failure);
    const outcome = await clientOf(api, { log }).alert("a");
    said.push("why" in outcome ? outcome.why : outcome.is);
  }
  for (const gone of [down.url, new URL("http://host.invalid")]) {
    const error = await assertRejects(() =>
      clientOf({ url: gone }, { log }).sendMessage(GROUP, "a")
    );
    said.push(describeError(error), `${(error as Error).stack}`);
  }
  assert(![...said, ...log.lines].join("\n").includes("KEY-of_the_bot"), said.join("\n"));
});
