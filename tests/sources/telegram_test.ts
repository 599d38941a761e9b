import { assert, assertEquals, assertNotEquals, assertThrows } from "@std/assert";
import { telegram } from "../../lib/sources/telegram.ts";
import { deliveryOf } from "./support.ts";

const SECRET_HEADER = "x-telegram-bot-api-secret-token";
const source = telegram.create({
  TELEGRAM_BOT_TOKEN: "123456:KEY",
  TELEGRAM_WEBHOOK_SECRET: ["new_secret", "old_secret"],
});
const update = (parts: Record<string, unknown>) => deliveryOf(JSON.stringify(parts));
const message = { message_id: 7, date: 0, chat: { id: -1001234567890123, type: "supergroup" } };

Deno.test("verify() takes each secret alone, and nothing that merely looks like one", () => {
  const proofOf = (secret: string) => source.verify(deliveryOf("{}", { [SECRET_HEADER]: secret }));
  assertEquals(proofOf("new_secret"), { ok: true, secret: 0 });
  assertEquals(proofOf("old_secret"), { ok: true, secret: 1 });
  for (const wrong of ["", "new_secre", "new_secret_", "NEW_SECRET", "new_secret,old_secret"]) {
    assert(!(proofOf(wrong) as { ok: boolean }).ok, wrong);
  }
  assert(!(source.verify(deliveryOf("{}")) as { ok: boolean }).ok);
});

Deno.test("dedupKey() tells the same update of two bots apart", () => {
  const other = telegram.create({
    TELEGRAM_BOT_TOKEN: "654321:KEY",
    TELEGRAM_WEBHOOK_SECRET: ["a"],
  });
  assertEquals(source.dedupKey(update({ update_id: 5 })), "123456:5");
  assertEquals(other.dedupKey(update({ update_id: 5 })), "654321:5");
});

Deno.test("dedupKey() refuses an update without a usable update_id", () => {
  for (const parts of [{}, { update_id: null }, { update_id: "5" }, { update_id: 1.5 }]) {
    assertThrows(() => source.dedupKey(update(parts)), TypeError, "update_id");
  }
  assertThrows(() => source.dedupKey(deliveryOf("null")), TypeError, "Cannot read the update");
});

Deno.test("route() makes one job of a message, with its chat's id as text", () => {
  const withText = update({ update_id: 5, message: { ...message, text: "/ping" } });
  assertEquals(source.route(withText), [{
    kind: "telegram.message",
    payload: { chatId: "-1001234567890123", messageId: 7, text: "/ping" },
  }]);
});

Deno.test("route() takes a picture for a message without text", () => {
  const [job] = source.route(update({ update_id: 5, message: { ...message, photo: [] } }));
  assertEquals(job?.payload?.text, "");
});

Deno.test("route() makes no job of updates of other types, today's and tomorrow's", () => {
  for (const type of ["edited_message", "my_chat_member", "callback_query", "of_tomorrow"]) {
    assertEquals(source.route(update({ update_id: 5, [type]: message })), []);
  }
});

Deno.test("route() names what is wrong with a message, but repeats none of its text", () => {
  const broken = update({ update_id: 5, message: { text: "private words" } });
  const { message: why } = assertThrows(() => source.route(broken), TypeError, "message.chat");
  assert(!why.includes("private words"), why);
});

Deno.test("TELEGRAM_WEBHOOK_SECRET is refused at start when setWebhook would refuse it", () => {
  const { schema } = telegram.settings.TELEGRAM_WEBHOOK_SECRET;
  for (const wrong of ["with space", "пароль", "semi;colon", "x".repeat(257), "good,not good"]) {
    const issues = schema.safeParse(wrong).error?.issues ?? [];
    assertEquals(issues.length, 1, wrong);
    assert(!issues[0]!.message.includes(wrong), issues[0]!.message);
  }
  assertEquals(schema.parse(`${"x".repeat(256)},A-z_0`), ["x".repeat(256), "A-z_0"]);
});

Deno.test("sample() is proven, routed, and never a repeat of the one before", () => {
  const [one, two] = [source.sample(), source.sample()].map(({ headers, body }) =>
    deliveryOf(body, headers)
  );
  assertEquals(source.verify(one!), { ok: true, secret: 0 });
  assertEquals(source.route(one!).length, 1);
  assertNotEquals(source.dedupKey(one!), source.dedupKey(two!));
});

Deno.test("The header of the secret is named, so that it is not stored", () => {
  assertEquals(source.secretHeaders, [SECRET_HEADER]);
});
