import { assert, assertEquals } from "@std/assert";
import { botIdOf, telegramBotToken } from "../../lib/base/telegram.ts";

Deno.test("telegramBotToken refuses what was pasted beside the token, and does not repeat it", () => {
  const { schema } = telegramBotToken;
  for (
    const wrong of ["KEY", "123456", "123456:", ":KEY", "Use this token: 123456:KEY", "1:K/../x"]
  ) {
    const [issue] = schema.safeParse(wrong).error?.issues ?? [];
    assert(issue !== undefined, wrong);
    assert(!issue.message.includes(wrong), issue.message);
  }
  assertEquals(schema.parse("123456:KEY-of_the_bot"), "123456:KEY-of_the_bot");
});

Deno.test("telegramBotToken says one thing about an empty token, not two", () => {
  for (const wrong of ["", " ", "123456:KEY\n"]) {
    assertEquals(telegramBotToken.schema.safeParse(wrong).error?.issues.length, 1);
  }
});

Deno.test("telegramBotToken is a secret", () => {
  assertEquals(telegramBotToken.secret, true);
});

Deno.test("botIdOf() gives the bot's number and nothing of its key", () => {
  assertEquals(botIdOf("123456:KEY"), "123456");
});
