/**
 * The claims that a worker holds, from the claim until their ending is durable, and their leases.
 * @module
 */
import type { App } from "../app.ts";
import { Stop } from "../base/stop.ts";
import type { Job } from "../contract.ts";
import { type Claim, renewLeases } from "../db/claims.ts";
import { StoppedError } from "../flow/execute.ts";

/** A job in this worker's hands. */
export interface Held {
  readonly job: Job;
  readonly stop: Stop;
  readonly leaseSeconds: number;
  /** When the lease has certainly ended, by this process's own monotonic clock: it measures a span, not a time of day. */
  heldUntilMs: number;
}

/** The claims of one worker. */
export interface Claims {
  readonly size: number;
  /** Those whose runs are not over; the others only wait until their ending is durable. */
  readonly running: number;
  add(job: Job, leaseSeconds: number, askedAtMs: number): Held;
  /** The run is over, and its ending is on its way into the database. */
  ended(held: Held): void;
  remove(held: Held): void;
  /** Resolves when at most `count` are held. */
  atMost(count: number): Promise<void>;
  /** Resolves when the condition, which is about these claims, holds; after `ms` at the latest. */
  until(condition: () => boolean, ms?: number): Promise<void>;
  /** Prolongs all leases, and stops the runs whose lease is lost. */
  renew(): Promise<void>;
  /** Stops the runs whose lease has certainly ended: cut off from the database, another may have taken them over. */
  expire(): void;
  /** Stops all runs, and those that are still to come. */
  stop(error: StoppedError): void;
}

/** Holds nothing yet. */
export function createClaims(app: App, now: () => number = () => performance.now()): Claims {
  const all = new Set<Held>();
  const ending = new Set<Held>();
  const waiting = new Set<{ condition: () => boolean; resolve: () => void }>();
  let stopped: StoppedError | undefined;
  const lose = (held: Held) => {
    if (held.stop.stopped) return;
    app.log.warn("a lease was lost; the run is stopped and what it does is dropped", {
      job: held.job.id,
      kind: held.job.kind,
    });
    held.stop.now(new StoppedError("lease_lost"));
  };
  const tellWaiting = () => {
    for (const { condition, resolve } of waiting) if (condition()) resolve();
  };
  const until = async (condition: () => boolean, ms?: number) => {
    if (condition()) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const waiter = { condition, resolve };
    const timer = ms === undefined ? undefined : setTimeout(resolve, ms);
    waiting.add(waiter);
    await promise;
    waiting.delete(waiter);
    clearTimeout(timer);
  };
  return {
    until,
    get size() {
      return all.size;
    },
    get running() {
      return all.size - ending.size;
    },
    add(job, leaseSeconds, askedAtMs) {
      const stop = new Stop();
      if (stopped) stop.now(stopped);
      const held = { job, stop, leaseSeconds, heldUntilMs: askedAtMs + leaseSeconds * 1000 };
      all.add(held);
      return held;
    },
    ended(held) {
      ending.add(held);
      tellWaiting();
    },
    remove(held) {
      all.delete(held);
      ending.delete(held);
      tellWaiting();
    },
    atMost: (count) => until(() => all.size <= count),
    async renew() {
      const asked = [...all];
      if (asked.length === 0) return;
      const askedAtMs = now();
      const kept = await renewAll(app, asked);
      for (const held of asked) {
        const renewed = kept.get(claimName(held.job));
        if (renewed) held.heldUntilMs = askedAtMs + held.leaseSeconds * 1000;
        else if (renewed === undefined && all.has(held)) lose(held);
      }
    },
    expire() {
      for (const held of all) if (now() > held.heldUntilMs) lose(held);
    },
    stop(error) {
      stopped = error;
      for (const held of all) held.stop.now(error);
    },
  };
}

/** The claims that still hold, by name, and whether each was prolonged. */
async function renewAll(
  app: App,
  asked: readonly Held[],
): Promise<ReadonlyMap<string, boolean>> {
  const rows = await renewLeases(
    app.db,
    asked.map(({ job, leaseSeconds }) => ({ id: job.id, claims: job.claims, leaseSeconds })),
  );
  return new Map(rows.map((row) => [claimName(row), row.renewed]));
}

const claimName = ({ id, claims }: Claim) => `${id}/${claims}`;
