/**
 * The worker's entry, with one handler that does nothing for a while, in the place of the real ones.
 *
 * BENCH_JOBS is how many jobs it will be given: the begin of the first and the end of the last are said on the output,
 * in milliseconds since 1970, and ten times in between what memory it holds, in bytes. With BENCH_EACH=1 it says when each job began, by its event.
 * @module
 */
import { z } from "zod";
import type { App } from "../lib/app.ts";
import { sleep } from "../lib/base/repeat.ts";
import { defineHandler } from "../lib/define.ts";
import { runService } from "../lib/service.ts";
import { startWorker } from "../lib/worker/worker.ts";

const jobs = Number(Deno.env.get("BENCH_JOBS"));
const each = Deno.env.get("BENCH_EACH") === "1";
const MEMORY_LOOKS = 10;
const encoder = new TextEncoder();
let ran = 0;

const say = (text: string) => void Deno.stdout.writeSync(encoder.encode(`bench ${text}\n`));
const nowMs = () => performance.timeOrigin + performance.now();

/** Handlers for the jobs of the bench and for those that follow from the site's forms. */
const handlers = ["bench", "bench.in_lane", "site.form"].map((kind) =>
  defineHandler({
    kind,
    lane: kind === "bench.in_lane" ? "bench" : undefined,
    payload: z.object({ ms: z.number().default(0) }),
    async run({ ms }, context) {
      const at = nowMs();
      if (each) say(`began ${context.job.eventId} ${at}`);
      if (++ran === 1) say(`first ${at}`);
      if (ran % Math.ceil(jobs / MEMORY_LOOKS) === 0) {
        say(`memory ${ran} ${Deno.memoryUsage().rss}`);
      }
      if (ms > 0) await sleep(ms, context.signal);
      if (ran === jobs) say(`last ${nowMs()}`);
    },
  })
);

function withBenchHandlers(app: App): App {
  const byKind = new Map(handlers.map((handler) => [handler.kind, handler]));
  return { ...app, registry: { ...app.registry, handlers: byKind, schedules: [] } };
}

await runService(
  { args: Deno.args, environment: Deno.env.toObject() },
  { application: "hookwork-worker", connections: 4, statementSeconds: 10 },
  (app) => startWorker(withBenchHandlers(app), `bench/${Deno.pid}`),
);
