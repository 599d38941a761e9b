/**
 * The worker: claims jobs, runs them, settles them, and keeps their leases.
 * @module
 */
import type { App } from "../app.ts";
import { repeat, sleep } from "../base/repeat.ts";
import { sweepLostJobs } from "../db/claims.ts";
import { StoppedError } from "../flow/execute.ts";
import { watchOutage } from "../flow/outage.ts";
import { createSettler } from "../flow/settle.ts";
import { startTick } from "../flow/tick.ts";
import { createBell } from "./bell.ts";
import { startClaiming } from "./claiming.ts";
import { createClaims } from "./claims.ts";
import { startListening } from "./listen.ts";
import { createRunner } from "./runner.ts";

const SWEEP_MS = 5000;
const SWEEP_LIMIT = 500;
const BUSY_MS = 30_000;
/** Below the 60 s after which a supervisor kills. */
const GRACE_MS = 55_000;
/** For writing down what was interrupted. */
const RELEASE_MS = 1500;

/** A worker at work. */
export interface Worker {
  /** Stops claiming, waits for the running jobs, then interrupts and releases them. Called again, it no longer waits. */
  stop(): Promise<void>;
}

/** Starts a worker; `name` tells its claims from those of others. */
export function startWorker(
  app: App,
  name: string,
  { graceMs = GRACE_MS }: { graceMs?: number } = {},
): Worker {
  const outage = watchOutage(app, "worker");
  const abandon = new AbortController();
  const bell = createBell();
  const claims = createClaims(app);
  const tick = startTick(app, outage.part(), { schedules: true });
  const runner = createRunner(app, {
    claims,
    settler: createSettler(app, abandon.signal),
    onGivenUp: () => tick.soon(),
    onAloneEnded: () => bell.ring(),
  });
  const slots = app.config.WORKER_CONCURRENCY;
  const watchSlots = () => {
    const seconds = Math.round((performance.now() - runner.lastMoveMs) / 1000);
    if (claims.size < slots || seconds * 1000 < BUSY_MS) return;
    app.log.warn("all slots are busy, and nothing has ended", { slots, seconds });
  };
  const every = (ms: number, work: () => unknown) =>
    repeat(ms, async () => void await work(), (error) => outage.failed(error));
  const renewing = every(shortestLeaseSeconds(app) * 1000 / 3, () => claims.renew());
  const beside = [
    every(SWEEP_MS, async () => {
      if (await sweep(app)) tick.soon();
    }),
    every(BUSY_MS, watchSlots),
    startListening(app, () => bell.ring()),
    tick,
  ];
  const claiming = startClaiming(app, { worker: name, bell, claims, runner, outage });

  const hurry = new AbortController();
  let stopped: Promise<void> | undefined;
  const stop = async () => {
    app.log.info("stopping", { running: claims.size });
    const besides = beside.map((part) => part.stop());
    const released = claiming.stop().then(() => claims.atMost(0));
    await within(graceMs, released, hurry.signal);
    claims.stop(new StoppedError("shutdown"));
    await within(RELEASE_MS, released);
    // What hangs now is cut off: leases bring its jobs back, and the next process does the rest again.
    abandon.abort();
    await within(RELEASE_MS, Promise.all([renewing.stop(), ...besides]));
  };
  return {
    stop() {
      if (stopped) hurry.abort();
      return stopped ??= stop();
    },
  };
}

/** Waits for the work, at most `ms` and no longer than until `hurry`. */
async function within(ms: number, work: Promise<unknown>, hurry?: AbortSignal): Promise<void> {
  const over = new AbortController();
  const signals = hurry ? [over.signal, hurry] : [over.signal];
  await Promise.race([work, sleep(ms, AbortSignal.any(signals))]);
  over.abort();
}

/** Leases are renewed at a third of the shortest one. */
function shortestLeaseSeconds(app: App): number {
  const leases = [...app.registry.handlers.values()].map((handler) => handler.leaseSeconds);
  return Math.min(...leases.map((lease) => lease ?? app.config.LEASE_SECONDS));
}

/** Takes jobs back from lost workers, and says whether any was given up. */
async function sweep(app: App): Promise<boolean> {
  const lost = await sweepLostJobs(app.db, SWEEP_LIMIT);
  for (const job of lost) app.log.warn("a worker was lost with a job", job);
  return lost.some(({ status }) => status === "failed");
}
