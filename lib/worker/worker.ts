/**
 * The worker: claims jobs, runs them, settles them, and keeps their leases.
 * @module
 */
import type { App } from "../app.ts";
import { repeat, within } from "../base/repeat.ts";
import type { Watchdog } from "../base/watchdog.ts";
import type { ClaimRequest } from "../db/claim.ts";
import { sweepLostJobs } from "../db/claims.ts";
import { StoppedError } from "../flow/execute.ts";
import { giveUpHeldJobs } from "../flow/lane.ts";
import { watchOutage } from "../flow/outage.ts";
import { startRetention } from "../flow/retention.ts";
import { createSettler } from "../flow/settle.ts";
import { startTick } from "../flow/tick.ts";
import { createBell } from "./bell.ts";
import { startClaiming } from "./claiming.ts";
import { createClaims } from "./claims.ts";
import { startListening } from "./listen.ts";
import { createRunner } from "./runner.ts";

const SWEEP_MS = 5000;
const SWEEP_LIMIT = 500;
/** How exactly runs are stopped when their leases end. */
const EXPIRY_MS = 1000;
const HELD_MS = 600_000;
const BUSY_MS = 30_000;
const STUCK_MS = 10 * 60_000;
/** For the jobs under way at a stop: with what follows it stays below TimeoutStopSec in deploy/systemd, after which systemd kills. */
export const GRACE_MS = 55_000;
/** For writing down what was interrupted. */
const RELEASE_MS = 1500;

/** A worker at work. */
export interface Worker {
  /** Stops claiming, waits for the running jobs, then interrupts and releases them. Called again, it no longer waits. */
  stop(): Promise<void>;
  /** Resolves when handlers that were stopped long ago have still not ended: only a fresh process is rid of them. */
  readonly failed: Promise<Error>;
}

/** Starts a worker; `name` tells its claims from those of others. */
export function startWorker(
  app: App,
  name: string,
  { graceMs = GRACE_MS, watchdog }: { graceMs?: number; watchdog?: Watchdog } = {},
): Worker {
  const outage = watchOutage(app, "worker");
  const abandon = new AbortController();
  const bell = createBell();
  const claims = createClaims(app);
  const tick = startTick(app, outage.part(), { schedules: true });
  const runner = createRunner(app, {
    claims,
    settler: createSettler(app, abandon.signal),
    watchdog,
    onGivenUp: () => tick.soon(),
    onAloneEnded: () => bell.ring(),
  });
  const slots = app.config.WORKER_CONCURRENCY;
  const watchSlots = () => {
    const seconds = Math.round((performance.now() - runner.lastMoveMs) / 1000);
    if (claims.running < slots || seconds * 1000 < BUSY_MS) return;
    app.log.warn("all slots are busy, and nothing has ended", { slots, seconds });
  };
  const failed = Promise.withResolvers<Error>();
  const watchStuck = () => {
    const stuck = runner.stuck(STUCK_MS);
    if (stuck.length === 0) return;
    failed.resolve(
      new Error(`the handlers of jobs ${stuck.join(", ")} were stopped and do not end`),
    );
  };
  const every = (ms: number, work: () => unknown) =>
    repeat(ms, async () => void await work(), (error) => outage.failed(error));
  const kinds = workerKinds(app);
  const shortestLeaseSeconds = Math.min(...kinds.map(({ leaseSeconds }) => leaseSeconds));
  const leaseMs = shortestLeaseSeconds * 1000;
  const renewing = every(leaseMs / 3, () => claims.renew());
  const expiring = every(Math.min(leaseMs / 10, EXPIRY_MS), () => claims.expire());
  const beside = [
    every(SWEEP_MS, async () => {
      if (await sweep(app)) tick.soon();
    }),
    every(HELD_MS, async () => {
      if (await giveUpHeldJobs(app)) tick.soon();
    }),
    every(BUSY_MS, watchSlots),
    every(BUSY_MS, watchStuck),
    startListening(app, () => bell.ring()),
    startRetention(app, name),
    tick,
  ];
  const claiming = startClaiming(app, { worker: name, kinds, bell, claims, runner, outage });
  app.log.info("working", { worker: name, slots, kinds: kinds.map(({ kind }) => kind).join(", ") });

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
    await within(RELEASE_MS, Promise.all([renewing.stop(), expiring.stop(), ...besides]));
  };
  return {
    failed: failed.promise,
    stop() {
      if (stopped) hurry.abort();
      return stopped ??= stop();
    },
  };
}

/** The kinds that this worker takes, and how long a claim of each holds. */
function workerKinds({ registry, config }: App): ClaimRequest["kinds"] {
  const { WORKER_KINDS: only, LEASE_SECONDS } = config;
  return [...registry.handlers.values()]
    .filter(({ kind }) => only.length === 0 || only.includes(kind))
    .map(({ kind, lane = null, leaseSeconds = LEASE_SECONDS }) => ({ kind, lane, leaseSeconds }));
}

/** Takes jobs back from lost workers, and says whether any was given up. */
async function sweep(app: App): Promise<boolean> {
  const lost = await sweepLostJobs(app.db, SWEEP_LIMIT);
  for (const job of lost) app.log.warn("a worker was lost with a job", job);
  return lost.some(({ status }) => status === "failed");
}
