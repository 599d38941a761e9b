/**
 * Settings for Hookwork on one machine: random secrets that belong to nobody.
 * @module
 */

/** Values of settings by the name of their environment variable. */
export type Settings = Readonly<Record<string, string>>;

/** Settings with those that are made up here. */
export type DemoSettings = Settings & ReturnType<typeof randomSettings>;

/** Fresh random secrets, a bot that only the fake Telegram knows, and a chat for alerts. */
export function randomSettings() {
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
