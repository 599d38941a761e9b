/**
 * Settings for Hookwork on one machine: random secrets that belong to nobody.
 * @module
 */
import { ACCOUNT } from "./fake_amocrm/server.ts";
import { SELLER } from "./sample_account.ts";
import { definitions, registrySettings } from "../lib/registry.ts";

/** Values of settings by the name of their environment variable. */
export type Settings = Readonly<Record<string, string>>;

/** Settings with those that are made up here. */
export type DemoSettings = Settings & ReturnType<typeof randomSettings>;

/**
 * Fresh random secrets, a bot that only the fake Telegram knows, a chat for alerts, and the sample account's seller. Settings that a new source or
 * handler asks for are made up too, so that it takes part in the demo and the tests from its first day.
 */
export function randomSettings() {
  return {
    ...madeUpSettings(),
    SITE_WEBHOOK_SECRET: randomHex(),
    TELEGRAM_WEBHOOK_SECRET: randomHex(),
    AMOCRM_WEBHOOK_SECRET: randomHex(),
    TELEGRAM_BOT_TOKEN: `1000000001:${randomHex()}`,
    TELEGRAM_ALERT_CHAT_ID: "-1000000000001",
    AMOCRM_ACCOUNT: ACCOUNT.subdomain,
    ...SELLER,
  };
}

/** Every setting without which nothing starts, with the first value that it takes. */
function madeUpSettings(): Record<string, string> {
  const needed = registrySettings(definitions)
    .flatMap(({ settings }) => Object.entries(settings))
    .filter(([_, { schema }]) => !schema.safeParse(undefined).success);
  return Object.fromEntries(needed.map(([name, { schema, example }]) => {
    const candidates = [example, randomHex(), `whsec_${btoa(randomHex())}`, "https://example.com"];
    return [name, candidates.find((value) => schema.safeParse(value).success) ?? "1"];
  }));
}

/** A secret that nobody can guess. */
export function randomHex(): string {
  return crypto.getRandomValues(new Uint8Array(24)).toHex();
}
