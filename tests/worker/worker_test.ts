import { assertEquals } from "@std/assert";
import * as z from "zod";
import { sleep } from "../../lib/base/repeat.ts";
import { defineHandler } from "../../lib/define.ts";
import { enqueue } from "../../lib/db/jobs.ts";
import { getJob } from "../../lib/db/jobs_view.ts";
import { startWorker } from "../../lib/worker/worker.ts";
import { testApp } from "../support/app.ts";
import { testDatabase } from "../support/database.ts";
import { handlerOf } from "../support/jobs.ts";
import { until } from "../support/until.ts";

Deno.test("a worker does the job that was enqueued, without waiting for its poll", async () => {
  await using database = await testDatabase();
  const seen: string[] = [];
  const greet = defineHandler({
    kind: "greet",
    payload: z.object({ name: z.string() }),
    run({ name }) {
      seen.push(name);
      return Promise.resolve({ result: `greeted ${name}` });
    },
  });
  await using app = testApp({ url: database.url, handlers: [greet] });
  const worker = startWorker(app, "test");
  const id = await enqueue(app.db, { kind: "greet", payload: { name: "Ada" } });
  await until("the job is done", async () => (await getJob(app.db, id!))?.status === "done");
  assertEquals(seen, ["Ada"]);
  assertEquals((await getJob(app.db, id!))?.result, "greeted Ada");
  await worker.stop();
});

Deno.test("no transaction is open while a handler runs, nor while its call is under way (rule 14)", async () => {
  const seen: Record<string, unknown>[] = [];
  await using database = await testDatabase();
  const look = async () => {
    const open = await database.sql`
      select application_name, state from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()
        and xact_start < clock_timestamp() - interval '200 ms'
    `;
    seen.push(...open.map((row) => ({ ...row })));
  };
  const work = handlerOf(async (_, context) => {
    await context.event();
    await sleep(250);
    await look();
    await context.effect("thing", {
      async run() {
        await sleep(250);
        await look();
        return "made";
      },
    });
  });
  await using app = testApp({ url: database.url, handlers: [work] });
  const worker = startWorker(app, "test");
  const id = await enqueue(app.db, { kind: "work", entity: "lead:1" });
  await until("the job is done", async () => (await getJob(app.db, id!))?.status === "done");
  await worker.stop();
  assertEquals(seen, []);
});
