/**
 * The worker: does the jobs.
 * @module
 */
import { runService } from "./lib/service.ts";
import { startWorker } from "./lib/worker/worker.ts";

await runService(
  { args: Deno.args, environment: Deno.env.toObject() },
  { application: "hookwork-worker", connections: 4, statementSeconds: 10 },
  (app, watchdog) => startWorker(app, `${Deno.hostname()}/${Deno.pid}`, { watchdog }),
);
