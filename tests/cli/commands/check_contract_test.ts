import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { startTelegramApi } from "../../../demo/telegram_api.ts";
import { startS3 } from "../../contracts/s3_server.ts";
import { start } from "../../demo/fake_amocrm/support.ts";
import { freshApp } from "../../support/app.ts";
import { SELLER } from "../../support/contract_world.ts";
import { cli, environment } from "../support.ts";

/** A whole installation that makes contracts, and `hookwork check` in it. */
async function startChecked() {
  await using stack = new AsyncDisposableStack();
  const fake = stack.use(await start());
  const app = stack.use(await freshApp());
  const telegram = stack.use(await startTelegramApi({ token: "123:bot-s3cret" }));
  const folder = await Deno.makeTempDir({ prefix: "hookwork-check-" });
  stack.defer(() => Deno.remove(folder, { recursive: true }));
  const settings: Record<string, string> = {
    ...environment(app.config.DATABASE_URL),
    ...SELLER,
    TELEGRAM_API: telegram.url.href,
    AMOCRM_ACCOUNT: fake.account.subdomain,
    AMOCRM_WEBHOOK_SECRET: "check-world-0123456789-0123456789",
    AMOCRM_CONTRACT_PIPELINE_ID: "7",
    AMOCRM_CONTRACT_STAGE_ID: "8",
    AMOCRM_URL: fake.url.origin,
    AMOCRM_ACCESS_TOKEN: fake.tokens.issue(),
    CONTRACT_DIR: `${folder}/documents`,
  };
  const held = stack.move();
  return {
    fake,
    folder,
    check: (changes: Record<string, string> = {}) => cli({ ...settings, ...changes }, ["check"]),
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  };
}

Deno.test("check tries all that a contract needs, and leaves no file among the contracts", async () => {
  await using world = await startChecked();
  const { exitCode, output } = await world.check();
  assertEquals(exitCode, 0, output);
  for (
    const line of [
      /OK +configuration +contracts are made by template v1\n/,
      /OK +configuration +contracts are of ООО «Пример-Поставка»\n/,
      /OK +storage +contracts can be stored in .*\/documents\n/,
      /OK +amocrm +the account is hw-sample \(31700412\)\n/,
    ]
  ) assertMatch(output, line);
  const left = await Array.fromAsync(Deno.readDir(`${world.folder}/documents`));
  assertEquals(left.map(({ name }) => name), [".partial"]);
  assertEquals(await Array.fromAsync(Deno.readDir(`${world.folder}/documents/.partial`)), []);
});

Deno.test("check names each setting of contracts that is unfit, all in one run, and ends with 78", async () => {
  await using world = await startChecked();
  const { exitCode, output } = await world.check({
    CONTRACT_TEMPLATE_VERSION: "v9",
    CONTRACT_SELLER_INN: "",
    CONTRACT_DIR: "/dev/null/documents",
    AMOCRM_ACCESS_TOKEN: "n0-such-token",
  });
  assertEquals(exitCode, 78);
  for (
    const line of [
      /PROBLEM +configuration +CONTRACT_TEMPLATE_VERSION is v9: .*v9\/contract\.txt is not there; did you mean v1\?\n/,
      /PROBLEM +configuration +.*CONTRACT_SELLER_INN is missing; set it/,
      /PROBLEM +storage +What CONTRACT_DIR names cannot be written to: .*\/dev\/null\/documents/,
      /PROBLEM +amocrm +.*401.*AMOCRM_ACCESS_TOKEN/,
    ]
  ) assertMatch(output, line);
  assert(!output.includes("n0-such-token"));
  assertMatch((await world.check({ CONTRACT_CITY: "" })).output, /CONTRACT_CITY is not set/);
});

Deno.test("check finds that AMOCRM_ACCOUNT and AMOCRM_URL, or the token, are of two accounts", async () => {
  await using world = await startChecked();
  const asked = world.fake.counts().calls;
  const apart = await world.check({ AMOCRM_URL: "https://another.amocrm.ru" });
  assertEquals(apart.exitCode, 78);
  assertStringIncludes(
    apart.output,
    "AMOCRM_ACCOUNT is hw-sample, and AMOCRM_URL is the address of another",
  );
  assertEquals(world.fake.counts().calls, asked);
  const foreign = await world.check({ AMOCRM_ACCOUNT: "99" });
  assertMatch(
    foreign.output,
    /PROBLEM +amocrm +AMOCRM_ACCOUNT is 99, and the token is of account hw-sample \(31700412\)/,
  );
});

Deno.test("check finds a bucket that may not be written to, and that a consent cannot be tried without its database", async () => {
  await using world = await startChecked();
  await using s3 = startS3();
  const bucket = {
    CONTRACT_S3_BUCKET: s3.store.bucket,
    CONTRACT_S3_ENDPOINT: s3.store.endpoint,
    CONTRACT_S3_REGION: s3.store.region,
    CONTRACT_S3_ACCESS_KEY: s3.store.accessKey,
  };
  const { secretKey } = s3.store;
  for (const _ of [1, 2]) {
    const { output } = await world.check({ ...bucket, CONTRACT_S3_SECRET_KEY: secretKey });
    assertMatch(output, /OK +storage +contracts can be stored in s3:\/\/contracts\n/);
  }
  assertEquals(s3.requests.filter((request) => request.startsWith("PUT")).length, 2);
  const { exitCode, output } = await world.check({
    ...bucket,
    CONTRACT_S3_SECRET_KEY: "wr0ng-key",
    DATABASE_URL: "postgres://u:p@127.0.0.1:1/x",
    AMOCRM_ACCESS_TOKEN: "",
    AMOCRM_CLIENT_ID: "id",
    AMOCRM_CLIENT_SECRET: "client-s3cret",
    AMOCRM_REDIRECT_URI: "https://hooks.example/amocrm",
    AMOCRM_AUTH_CODE: "c0de",
  });
  assertEquals(exitCode, 1);
  assertMatch(
    output,
    /PROBLEM +storage +What CONTRACT_S3_BUCKET names cannot be written to: .*403/,
  );
  assertMatch(output, /PROBLEM +amocrm +its token cannot be tried: it is kept in the database/);
  assert(!output.includes("wr0ng-key"));
});
