/** The worker's entry, with the handlers of the tests in the place of the real ones. */

import type { App } from "../../lib/app.ts";
import type { Schedule } from "../../lib/contract.ts";
import { runService } from "../../lib/service.ts";
import { startWorker } from "../../lib/worker/worker.ts";
import { stressHandlers } from "./stress/handlers.ts";
import { testHandlers } from "./test_handlers.ts";

/** The kind that falls due each minute; none when it is not set. */
const SCHEDULED_KIND = Deno.env.get("TEST_SCHEDULED_KIND");
const GRACE_MS = Deno.env.get("TEST_GRACE_MS");

await runService(
  { args: Deno.args, environment: Deno.env.toObject() },
  { application: "hookwork-worker", connections: 4, statementSeconds: 10 },
  (app, watchdog) => {
    const graceMs = GRACE_MS === undefined ? undefined : Number(GRACE_MS);
    return startWorker(withTestHandlers(app), `test/${Deno.pid}`, { graceMs, watchdog });
  },
);

function withTestHandlers(app: App): App {
  const all = [...testHandlers, ...stressHandlers];
  const handlers = new Map(all.map((handler) => [handler.kind, handler]));
  const schedules: Schedule[] = SCHEDULED_KIND === undefined
    ? []
    : [{ name: "test", kind: SCHEDULED_KIND, everyMinutes: 1 }];
  return { ...app, registry: { ...app.registry, handlers, schedules } };
}
