import { assertEquals, assertRejects } from "@std/assert";
import { CHANNEL, enqueue } from "../../lib/db/jobs.ts";
import { startListening } from "../../lib/worker/listen.ts";
import { freshApp, testApp } from "../support/app.ts";
import { testDatabase } from "../support/database.ts";
import { startProxy } from "../support/proxy.ts";
import { until } from "../support/until.ts";

Deno.test("whoever begins to listen looks at once, since what was sent before is gone", async () => {
  await using app = await freshApp();
  let looks = 0;
  const listening = startListening(app, () => void looks++);
  await until("it looks", () => looks === 1);
  await enqueue(app.db, { kind: "work" });
  await until("it looks again", () => looks === 2);
  await listening.stop();
});

Deno.test("a lost connection listens again, and looks, since what was sent meanwhile is gone", async () => {
  await using app = await freshApp();
  let looks = 0;
  const listening = startListening(app, () => void looks++);
  await until("it looks", () => looks === 1);
  await app.rows`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()`;
  await until("it looks again", () => looks === 2);
  await app.rows`select pg_notify(${CHANNEL}, '')`;
  await until("it is notified again", () => looks === 3);
  await listening.stop();
});

Deno.test("a pool that was replaced is listened to again", async () => {
  await using database = await testDatabase();
  await using proxy = startProxy(database.url);
  await using app = testApp({ url: proxy.url, connection: { statementSeconds: 0.1 } });
  let looks = 0;
  const listening = startListening(app, () => void looks++);
  await until("it looks", () => looks === 1);
  await app.rows`select 1`;
  proxy.freeze();
  await assertRejects(() => app.db.run(app.db.sql`select 1`));
  proxy.heal();
  await until("it looks again", () => looks === 2);
  await database.sql`select pg_notify(${CHANNEL}, '')`;
  await until("it is notified again", () => looks === 3);
  assertEquals(app.db.generation, 1);
  await listening.stop();
});

Deno.test("behind a pooler nobody listens, and nothing fails", async () => {
  await using app = await freshApp({ env: { DB_POOLER: "true" } });
  const listening = startListening(app, () => {
    throw new Error("nobody may call");
  });
  await listening.stop();
  assertEquals(
    await app
      .rows`select from pg_stat_activity where query ilike 'listen%' and datname = current_database()`,
    [],
  );
});
