import { assertEquals, assertRejects } from "@std/assert";
import { ConfigError } from "../../lib/base/errors.ts";
import { redactorOf, withApp, withDatabase } from "../../lib/cli/open.ts";
import { asAdmin, testDatabase } from "../support/database.ts";
import { until } from "../support/until.ts";
import { environment, SECRETS } from "./support.ts";

Deno.test("withDatabase() uses one connection, however much is asked at once, and leaves none behind", async () => {
  await using database = await testDatabase();
  const connections = () =>
    asAdmin(async (admin) => {
      const rows = await admin`
        select from pg_stat_activity
        where datname = ${database.name} and application_name = 'hookwork-cli'`;
      return rows.length;
    });
  const seen = await withDatabase({ environment: { DATABASE_URL: database.url } }, async (db) => {
    await Promise.all([1, 2, 3, 4].map(() => db.run(db.sql`select pg_sleep(0.01)`)));
    return await connections();
  });
  assertEquals(seen, 1);
  await until("the connection is gone", async () => await connections() === 0);
});

Deno.test("withDatabase() needs no secret of any source; withApp() names each that is missing", async () => {
  await using database = await testDatabase();
  const host = { environment: { DATABASE_URL: database.url } };
  assertEquals(await withDatabase(host, () => Promise.resolve("used")), "used");
  const error = await assertRejects(() => withApp(host, () => Promise.resolve()), ConfigError);
  for (const name of ["SITE_WEBHOOK_SECRET", "TELEGRAM_BOT_TOKEN"]) {
    assertEquals(error.problems.filter((problem) => problem.startsWith(name)).length, 1);
  }
});

Deno.test("redactorOf() hides all secrets even when the configuration is unfit", () => {
  const given = { ...environment("postgres://u:pg-s3cret@127.0.0.1/x"), PORT: "none" };
  const redact = redactorOf({ environment: given });
  for (const secret of SECRETS) assertEquals(redact(`it is ${secret}!`), "it is ***!");
});
