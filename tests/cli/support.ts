/** Runs the program inside a test: what it is given, and what it wrote. */

import { randomSettings } from "../../demo/settings.ts";
import type { Host } from "../../lib/cli/host.ts";
import type { Page } from "../../lib/cli/output.ts";
import { run } from "../../lib/cli/run.ts";
import { formatTime } from "../../lib/cli/time.ts";

/** What one run came to. */
export interface Ran {
  readonly exitCode: number;
  /** What it wrote to standard output, bytes as Latin-1. */
  readonly output: string;
  readonly errors: string;
}

/** The secrets of `environment`: none may ever be shown. */
export const SECRETS = ["site-s3cret", "webhook-s3cret", "123:bot-s3cret", "pg-s3cret"];

/** All that a whole configuration needs; nobody listens at the Telegram of it. */
export function environment(databaseUrl: string): Record<string, string> {
  return {
    ...randomSettings(),
    DATABASE_URL: databaseUrl,
    SITE_WEBHOOK_SECRET: "site-s3cret",
    TELEGRAM_WEBHOOK_SECRET: "webhook-s3cret",
    TELEGRAM_BOT_TOKEN: "123:bot-s3cret",
    TELEGRAM_ALERT_CHAT_ID: "-100500",
    TELEGRAM_API: "http://127.0.0.1:1",
    TZ: "Europe/Moscow",
  };
}

/** A host that keeps what is written. */
export function memoryHost(options: Partial<Host> = {}) {
  const written = { output: "", errors: "" };
  const host: Host = {
    environment: {},
    columns: Infinity,
    now: () => new Date("2026-03-01T12:00:00Z"),
    write(output) {
      written.output += typeof output === "string" ? output : String.fromCharCode(...output);
    },
    writeError: (text) => void (written.errors += text),
    confirm: () => undefined,
    interruptible: (work) => work(new AbortController().signal),
    ...options,
  };
  return { host, written };
}

/** Runs a command line on the database of a URL, or in an environment. */
export async function cli(
  where: string | Record<string, string>,
  args: readonly string[],
  options: Partial<Host> = {},
): Promise<Ran> {
  const given = typeof where === "string" ? environment(where) : where;
  const { host, written } = memoryHost({ environment: given, ...options });
  const exitCode = await run(args, host);
  return { exitCode, ...written };
}

/** A page without an end, read in Moscow. */
export const page: Page = {
  columns: Infinity,
  now: new Date("2026-03-01T12:00:00Z"),
  time: (instant) => formatTime(instant, "Europe/Moscow"),
};
