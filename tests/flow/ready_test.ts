import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { enqueue } from "../../lib/db/jobs.ts";
import { checkReadiness } from "../../lib/flow/ready.ts";
import { freshApp, testApp } from "../support/app.ts";
import { emptyDatabase, testDatabase } from "../support/database.ts";
import { startProxy } from "../support/proxy.ts";

Deno.test("a migrated database that answers is ready, without a word", async () => {
  await using app = await freshApp();
  assertEquals(await checkReadiness(app), { ready: true, problems: [], warnings: [] });
});

Deno.test("a database without its migrations is not ready, and the problem names them and the command", async () => {
  await using database = await emptyDatabase();
  await using app = testApp({ url: database.url });
  const { ready, problems } = await checkReadiness(app);
  assertEquals(ready, false);
  assertStringIncludes(problems[0]!, "0001_events.sql");
  assertStringIncludes(problems[0]!, "hookwork migrate");
});

Deno.test("a database that is stuck is told within the deadline, not after the driver's", async () => {
  await using database = await testDatabase();
  await using proxy = startProxy(database.url);
  await using app = testApp({ url: proxy.url });
  await app.rows`select 1`;
  proxy.freeze();
  const startMs = performance.now();
  const { ready, problems } = await checkReadiness(app, 100);
  assert(performance.now() - startMs < 1000);
  assertEquals([ready, problems], [false, [
    "The database cannot be used: no answer within 100 ms",
  ]]);
  proxy.heal();
});

Deno.test("a database that is away is told, without the password", async () => {
  await using app = testApp({ url: "postgres://nobody:s3cret@127.0.0.1:1/x" });
  const { ready, problems } = await checkReadiness(app);
  assertEquals(ready, false);
  assert(!problems[0]!.includes("s3cret"), problems[0]);
});

Deno.test("alerts that do not arrive and jobs that wait are warnings: deliveries are still stored", async () => {
  await using app = await freshApp();
  await enqueue(app.db, { kind: "work" });
  await app.db.sql`update jobs set run_at = now() - interval '11 minutes'`;
  await app.db
    .sql`insert into alerts (topic, pending, last_text, last_error) values ('t', 1, 'x', 'bad token')`;
  const { ready, warnings } = await checkReadiness(app);
  assertEquals(ready, true);
  assertEquals(warnings, [
    "Alerts do not arrive: bad token",
    "The oldest due job has been waiting for 11 minutes",
  ]);
});
