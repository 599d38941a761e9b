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
const RELEASE_MS = 2500;

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
  const tick = startTick(app, outage, { schedules: true });
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
    every(SWEEP_MS, () => sweep(app)),
    every(BUSY_MS, watchSlots),
    startListening(app, () => bell.ring()),
    tick,
  ];
  const claiming = startClaiming(app, { worker: name, bell, claims, runner, outage });

  const interrupt = () => claims.stop(new StoppedError("shutdown"));
  let stopped: Promise<void> | undefined;
  const stop = async () => {
    app.log.info("stopping", { running: claims.size });
    const timers = [
      setTimeout(interrupt, graceMs),
      setTimeout(() => abandon.abort(), graceMs + RELEASE_MS),
    ];
    const besides = beside.map((part) => part.stop());
    await claiming.stop();
    await claims.atMost(0);
    timers.forEach(clearTimeout);
    // What goes on beside the jobs may be cut off: the next process does it again.
    const late = new AbortController();
    await Promise.race([
      Promise.all([renewing.stop(), ...besides]),
      sleep(RELEASE_MS, late.signal),
    ]);
    late.abort();
  };
  return {
    stop() {
      if (stopped) interrupt();
      return stopped ??= stop();
    },
  };
}

/** Leases are renewed at a third of the shortest one. */
function shortestLeaseSeconds(app: App): number {
  const leases = [...app.registry.handlers.values()].map((handler) => handler.leaseSeconds);
  return Math.min(...leases.map((lease) => lease ?? app.config.LEASE_SECONDS));
}

async function sweep(app: App): Promise<void> {
  for (const job of await sweepLostJobs(app.db, SWEEP_LIMIT)) {
    app.log.warn("a worker was lost with a job", job);
  }
}
