import { assertEquals } from "@std/assert";
import { inTransaction } from "../../lib/db/db.ts";
import { enqueue } from "../../lib/db/jobs.ts";
import { startWorker } from "../../lib/worker/worker.ts";
import { testApp } from "../support/app.ts";
import { testDatabase } from "../support/database.ts";
import { handlerOf, jobOf } from "../support/jobs.ts";
import { startProxy } from "../support/proxy.ts";
import { until } from "../support/until.ts";

for (const fault of ["cut", "freeze"] as const) {
  Deno.test(`a worker goes on by itself after its database was away (${fault})`, async () => {
    await using database = await testDatabase();
    await using proxy = startProxy(database.url);
    const work = handlerOf(() => Promise.resolve());
    await using app = testApp({
      url: proxy.url,
      handlers: [work],
      connection: { statementSeconds: 0.2 },
    });
    const worker = startWorker(app, "test");
    const outside = inTransaction(database.sql);
    const first = await enqueue(outside, { kind: "work" });
    await until("the first is done", async () => (await jobOf(outside, first)).status === "done");
    proxy[fault]();
    await until(
      "it notices",
      () => app.lines.some(({ message }) => message.includes("cannot be used")),
    );
    const second = await enqueue(outside, { kind: "work" });
    proxy.heal();
    await until("the second is done", async () => (await jobOf(outside, second)).status === "done");
    await worker.stop();
    assertEquals(app.told, [], "it was too short to wake anyone");
  });
}

Deno.test("a job that ends while the database is away is done when it is back, and not run again", async () => {
  await using database = await testDatabase();
  await using proxy = startProxy(database.url);
  const gate = Promise.withResolvers<void>();
  let runs = 0;
  const work = handlerOf(async () => {
    runs++;
    await gate.promise;
  });
  await using app = testApp({ url: proxy.url, handlers: [work] });
  const worker = startWorker(app, "test");
  const outside = inTransaction(database.sql);
  const id = await enqueue(outside, { kind: "work" });
  await until("it runs", () => runs === 1);
  proxy.cut();
  gate.resolve();
  await until(
    "it cannot be settled",
    () => app.lines.some(({ message }) => message.includes("cannot settle")),
  );
  proxy.heal();
  await until("it is done", async () => (await jobOf(outside, id)).status === "done");
  await worker.stop();
  assertEquals([runs, (await jobOf(outside, id)).claims], [1, 1]);
});

Deno.test("a worker that starts before its database begins when it comes", async () => {
  await using database = await testDatabase();
  await using proxy = startProxy(database.url);
  proxy.cut();
  const work = handlerOf(() => Promise.resolve());
  await using app = testApp({ url: proxy.url, handlers: [work] });
  const worker = startWorker(app, "test");
  const outside = inTransaction(database.sql);
  const id = await enqueue(outside, { kind: "work" });
  await until("it notices", () => app.lines.some(({ level }) => level === "error"));
  proxy.heal();
  await until("the job is done", async () => (await jobOf(outside, id)).status === "done");
  // Until then the driver has a connection to make, and a timer for it.
  await until("it listens", async () => {
    const listening = await database.sql`
      select from pg_stat_activity where datname = current_database() and query like 'listen %'
    `;
    return listening.length > 0;
  });
  await worker.stop();
});
