import { assertEquals } from "@std/assert";
import * as z from "zod";
import { defineHandler } from "../../lib/define.ts";
import { enqueue } from "../../lib/db/jobs.ts";
import { getJob } from "../../lib/db/jobs_view.ts";
import { startWorker } from "../../lib/worker/worker.ts";
import { testApp } from "../support/app.ts";
import { testDatabase } from "../support/database.ts";
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
