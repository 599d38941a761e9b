import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { startTelegramApi } from "../../../demo/telegram_api.ts";
import { freshApp } from "../../support/app.ts";
import { cli, environment, SECRETS } from "../support.ts";

const TOKEN = "123:bot-s3cret";

/** A whole configuration of an installation that makes no contracts. */
const plain = (databaseUrl: string) =>
  Object.fromEntries(
    Object.entries(environment(databaseUrl)).filter(([name]) => !/^(AMOCRM|CONTRACT)_/.test(name)),
  );

Deno.test("check ends with 0 when everything can be used, and shows no secret but its fingerprint", async () => {
  await using app = await freshApp();
  await using telegram = await startTelegramApi({ token: TOKEN });
  const given = { ...plain(app.config.DATABASE_URL), TELEGRAM_API: telegram.url.href };
  const { exitCode, output } = await cli(given, ["check"]);
  assertEquals(exitCode, 0, output);
  assertStringIncludes(output, "@fake_bot");
  for (const secret of SECRETS) assert(!output.includes(secret));
  // printf %s site-s3cret | sha256sum
  assertStringIncludes(output, "SITE_WEBHOOK_SECRET         11  118ce1fd");
});

Deno.test("check shows a secret that a shell has changed by another fingerprint", async () => {
  const print = async (secret: string) => {
    const { output } = await cli({ SITE_WEBHOOK_SECRET: secret }, ["check", "--json"]);
    return JSON.parse(output).secrets;
  };
  const [whole] = await print("pa$word-123456");
  const [mangled] = await print("pa-123456");
  assertEquals([whole.bytes, mangled.bytes], [14, 9]);
  assert(whole.sha256 !== mangled.sha256);
  assertEquals(whole.sha256.length, 8);
});

Deno.test("check finds that Telegram refuses the token, and ends with 1", async () => {
  await using app = await freshApp();
  await using telegram = await startTelegramApi({ token: "123:another" });
  const given = { ...plain(app.config.DATABASE_URL), TELEGRAM_API: telegram.url.href };
  const { exitCode, output } = await cli(given, ["check"]);
  assertEquals(exitCode, 1);
  assert(/PROBLEM +telegram +.*401/.test(output), output);
  assert(!output.includes(TOKEN));
});

Deno.test("check shows that alerts are refused although the token is right", async () => {
  await using app = await freshApp();
  await using telegram = await startTelegramApi({ token: TOKEN });
  await app.rows`
    insert into alerts (topic, pending, last_error, last_text)
    values ('x', 1, 'Telegram answered 400, chat not found', 'text')`;
  const given = { ...plain(app.config.DATABASE_URL), TELEGRAM_API: telegram.url.href };
  const { exitCode, output } = await cli(given, ["check"]);
  assertEquals(exitCode, 1);
  assert(/PROBLEM +queue +Alerts do not arrive: .*chat not found/.test(output), output);
});

Deno.test("check goes on to Telegram when the database is away, so that one run shows all problems", async () => {
  const { exitCode, output } = await cli(plain("postgres://u:pg-s3cret@127.0.0.1:1/x"), ["check"]);
  assertEquals(exitCode, 1);
  assert(/PROBLEM +database .*ECONNREFUSED/.test(output), output);
  assert(/PROBLEM +telegram /.test(output), output);
  for (const secret of SECRETS) assert(!output.includes(secret));
});

Deno.test("check ends with 78 and a line for each variable that is missing or unfit", async () => {
  const { exitCode, output } = await cli({ PORT: "none" }, ["check"]);
  assertEquals(exitCode, 78);
  for (const name of ["DATABASE_URL", "PORT", "SITE_WEBHOOK_SECRET", "TELEGRAM_ALERT_CHAT_ID"]) {
    assert(new RegExp(`PROBLEM +configuration +${name}[ :]`).test(output), name);
  }
});

Deno.test("check --example prints an environment with every setting, and needs none of them", async () => {
  const { exitCode, output } = await cli({}, ["check", "--example"]);
  assertEquals(exitCode, 0);
  for (const name of Object.keys(environment(""))) {
    assertMatch(output, new RegExp(`\n#?${name}=`), name);
  }
});
