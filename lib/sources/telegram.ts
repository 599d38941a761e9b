/**
 * A Telegram bot: updates, proven by the secret that was named when the webhook was set.
 * @module
 */
import { z } from "zod";
import type { Delivery } from "../contract.ts";
import type { Setting } from "../setting.ts";
import { defineSource } from "../define.ts";
import { secretHeaderProof } from "../base/proof.ts";
import { secrets } from "../base/settings.ts";
import { botIdOf, telegramBotToken } from "../base/telegram.ts";

const SECRET_HEADER = "x-telegram-bot-api-secret-token";

const anySecrets = secrets("What Telegram proves its updates with; new,old while it changes.");
const webhookSecrets: Setting<readonly string[]> = {
  ...anySecrets,
  schema: anySecrets.schema.pipe(z.array(
    // Source: core.telegram.org/bots/api#setwebhook, secret_token.
    z.string().regex(/^[\w-]{1,256}$/, "must be 1 to 256 of the characters A-Z a-z 0-9 _ -"),
  )),
};

/**
 * A message becomes a `telegram.message`; other updates are kept without a job. A repeat carries the
 * same `update_id`, which is unique within one bot.
 */
export const telegram = defineSource({
  name: "telegram",
  settings: { TELEGRAM_BOT_TOKEN: telegramBotToken, TELEGRAM_WEBHOOK_SECRET: webhookSecrets },
  create({ TELEGRAM_BOT_TOKEN: token, TELEGRAM_WEBHOOK_SECRET: secrets }) {
    return {
      secretHeaders: [SECRET_HEADER],
      verify: ({ headers }) => secretHeaderProof(headers.get(SECRET_HEADER), secrets),
      dedupKey: (delivery) => `${botIdOf(token)}:${parse(updateWithId, delivery).update_id}`,
      route(delivery) {
        const { message } = parse(updateWithMessage, delivery);
        if (message === undefined) return [];
        const { chat, message_id: messageId, text } = message;
        return [{ kind: "telegram.message", payload: { chatId: chat.id, messageId, text } }];
      },
      sample() {
        const [update_id] = crypto.getRandomValues(new Uint32Array(1));
        const message = {
          message_id: 1,
          date: 0,
          chat: { id: 1, type: "private" },
          text: "Sample",
        };
        return {
          headers: { "content-type": "application/json", [SECRET_HEADER]: secrets[0]! },
          body: JSON.stringify({ update_id, message }),
        };
      },
    };
  },
});

const updateWithId = z.object({ update_id: z.int() });
const updateWithMessage = z.object({
  message: z.object({
    message_id: z.int(),
    chat: z.object({ id: z.union([z.int(), z.string()]).transform(String) }),
    // Pictures, stickers and the like have none.
    text: z.string().default(""),
  }).optional(),
});

function parse<T>(schema: z.ZodType<T>, delivery: Delivery): T {
  const parsed = schema.safeParse(delivery.json());
  if (parsed.success) return parsed.data;
  const why = parsed.error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`);
  throw new TypeError(`Cannot read the update: ${why.join(", ")}; send it as the Bot API does`);
}
