/**
 * The settings with which the demo's programs run: random secrets, and nothing that belongs to anybody.
 * @module
 */

/** Environment variables of the receiver, the workers and the CLI. */
export type DemoSettings = Readonly<
  Record<
    | "SITE_WEBHOOK_SECRET"
    | "TELEGRAM_WEBHOOK_SECRET"
    | "TELEGRAM_BOT_TOKEN"
    | "TELEGRAM_ALERT_CHAT_ID",
    string
  >
>;

/** Fresh random secrets, a bot that only the fake Telegram knows, and a chat for alerts. */
export function randomSettings(): DemoSettings {
  return {
    SITE_WEBHOOK_SECRET: randomHex(),
    TELEGRAM_WEBHOOK_SECRET: randomHex(),
    TELEGRAM_BOT_TOKEN: `1000000001:${randomHex()}`,
    TELEGRAM_ALERT_CHAT_ID: "-1000000000001",
  };
}

function randomHex(): string {
  return crypto.getRandomValues(new Uint8Array(24)).toHex();
}
