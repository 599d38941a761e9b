import { assert, assertEquals, assertThrows } from "@std/assert";
import { z } from "zod";
import {
  coreSettings,
  loadConfig,
  loadSettings,
  mergeSettings,
  secretValues,
  settingsOf,
} from "../../lib/base/config.ts";
import { ConfigError } from "../../lib/base/errors.ts";
import { secrets, text } from "../../lib/base/settings.ts";

const DATABASE_URL = "postgres://hookwork:p%40ss@127.0.0.1/hookwork";
const siteSettings = { SITE_WEBHOOK_SECRET: secrets("Signs the site's requests.") };

function problemsOf(environment: Record<string, string>, settings = {}): string[] {
  return [...assertThrows(() => loadConfig(environment, settings), ConfigError).problems];
}

Deno.test("loadConfig() starts with nothing but the address of the database", () => {
  const config = loadConfig({ DATABASE_URL });
  assertEquals(config, {
    DATABASE_URL,
    DB_POOLER: false,
    PORT: 8080,
    HOST: "127.0.0.1",
    TRUSTED_PROXIES: [],
    DRAIN_SECONDS: 0,
    TZ: "UTC",
    WORKER_CONCURRENCY: 10,
    WORKER_KINDS: [],
    STALL_SECONDS: 30,
    LEASE_SECONDS: 60,
    OLDEST_DUE_ALERT_MINUTES: 10,
    EXPECT_EVENTS: [],
    BACKUP_ALERT_HOURS: 48,
    RETAIN_DONE_DAYS: 30,
    RETAIN_FAILED_DAYS: 90,
    RETAIN_BODY_DAYS: 90,
    RETAIN_KEY_DAYS: 400,
    SHADOW_KINDS: [],
    LOG_FORMAT: "json",
    LOG_LEVEL: "info",
  });
});

Deno.test("loadConfig() reports every problem at once, by the variable's name", () => {
  const environment = { PORT: "70000", TZ: "Mars/Base", SITE_WEBHOOK_SECRET: "new,old\n" };
  const problems = problemsOf(environment, siteSettings);
  assertEquals(problems.length, 4);
  for (const name of ["DATABASE_URL is not set", "PORT must be", "TZ must be"]) {
    assert(problems.some((problem) => problem.startsWith(name)), name);
  }
  assert(problems.some((problem) => problem.startsWith("SITE_WEBHOOK_SECRET: value 2 begins or")));
});

Deno.test("loadConfig() refuses keys that are forgotten before what they stand for, by each setting they must outlive", () => {
  const problems = problemsOf({
    DATABASE_URL,
    RETAIN_DONE_DAYS: "31",
    RETAIN_FAILED_DAYS: "30",
    RETAIN_BODY_DAYS: "40",
    RETAIN_KEY_DAYS: "30",
  });
  assertEquals(problems.map((problem) => problem.split(":")[0]), [
    "RETAIN_KEY_DAYS is below RETAIN_DONE_DAYS",
    "RETAIN_KEY_DAYS is below RETAIN_BODY_DAYS",
  ]);
  const [unfit, ...more] = problemsOf({ DATABASE_URL, RETAIN_KEY_DAYS: "a year" });
  assert(unfit?.startsWith("RETAIN_KEY_DAYS must be"), unfit);
  assertEquals(more, []);
});

Deno.test("loadConfig() never repeats a value in its error", () => {
  const value = "s3cr3t-Value";
  const names = Object.entries(coreSettings)
    .filter(([_, { schema }]) => !schema.safeParse(value).success).map(([name]) => name);
  assert(names.length > 10, names.join());
  const environment = Object.fromEntries(names.map((name) => [name, value]));
  const error = assertThrows(() => loadConfig(environment), ConfigError);
  assertEquals(error.problems.length, names.length);
  assert(!error.message.includes(value), error.message);
});

Deno.test("loadConfig() points at the misspelt variable that is set", () => {
  const [problem] = problemsOf({ DATABSE_URL: DATABASE_URL });
  assert(problem?.includes("DATABSE_URL is set: is it misspelt?"), problem);
  const [other] = problemsOf({ HOME: "/home" });
  assert(!other?.includes("misspelt"), other);
  const pair = { A_TOKEN: text("A."), B_TOKEN: text("B.") };
  const [neighbour] = problemsOf({ DATABASE_URL, A_TOKEN: "a" }, pair);
  assertEquals(neighbour, "B_TOKEN is not set; give it a value. B.");
});

Deno.test("loadConfig() gives what nobody can change, however deep", () => {
  const nested = { NESTED: { ...text("x"), schema: z.string().transform((to) => ({ to: [to] })) } };
  const config = loadConfig({ DATABASE_URL, NESTED: "a" }, nested);
  const { NESTED } = settingsOf(config, nested);
  assertThrows(() => Object.assign(config, { PORT: 1 }), TypeError);
  assertThrows(() => Object.assign(NESTED, { to: [] }), TypeError);
  assertThrows(() => (NESTED as { to: string[] }).to.push("forged"), TypeError);
});

Deno.test("settingsOf() gives a part its own values and no others", () => {
  const config = loadConfig({ DATABASE_URL, SITE_WEBHOOK_SECRET: "new,old" }, siteSettings);
  assertEquals(settingsOf(config, siteSettings), { SITE_WEBHOOK_SECRET: ["new", "old"] });
});

Deno.test("settingsOf() refuses settings that were never checked", () => {
  const config = loadConfig({ DATABASE_URL });
  assertThrows(() => settingsOf(config, siteSettings), Error, "SITE_WEBHOOK_SECRET");
});

Deno.test("mergeSettings() refuses two different settings of one name", () => {
  const shared = text("Shared.");
  assertEquals(Object.keys(mergeSettings({ A: shared }, { A: shared, B: text("B.") })), ["A", "B"]);
  const error = assertThrows(
    () => mergeSettings({ A: shared }, { A: text("Another.") }),
    ConfigError,
  );
  assert(error.message.includes("A is defined twice"));
});

Deno.test("secretValues() finds each secret of a list and the password inside a URL", () => {
  const settings = mergeSettings(coreSettings, siteSettings);
  const environment = { DATABASE_URL, SITE_WEBHOOK_SECRET: "new,old", TZ: "UTC" };
  const values = secretValues(environment, settings);
  for (const value of [DATABASE_URL, "p%40ss", "p@ss", "new,old", "new", "old"]) {
    assert(values.includes(value), value);
  }
  assert(!values.includes("UTC") && !values.includes(""));
});

Deno.test("loadSettings() asks for nothing but what it was given, and tells every problem of that", () => {
  const settings = { A: text("a"), B: text("b", { default: "b" }) };
  assertEquals(loadSettings({ A: " x " }, settings), { A: "x", B: "b" });
  const error = assertThrows(() => loadSettings({ AA: "x" }, settings), ConfigError);
  assertEquals(error.problems, ["A is not set; give it a value (AA is set: is it misspelt?). a"]);
});

Deno.test("secretValues() survives a password that is not URL-encoded", () => {
  const values = secretValues({ DATABASE_URL: "postgres://u:100%@h/d" }, coreSettings);
  assert(values.includes("100%"));
});
