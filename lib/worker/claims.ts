/**
 * The claims that a worker holds, from the claim until their ending is durable, and their leases.
 * @module
 */
import type { App } from "../app.ts";
import type { Job } from "../contract.ts";
import { renewLeases } from "../db/claims.ts";
import { StoppedError } from "../flow/execute.ts";

/** A job in this worker's hands. */
export interface Held {
  readonly job: Job;
  readonly controller: AbortController;
  readonly leaseSeconds: number;
  /** When the lease has certainly ended, by this process's own monotonic clock: it measures a span, not a time of day. */
  heldUntilMs: number;
}

/** The claims of one worker. */
export interface Claims {
  readonly size: number;
  add(job: Job, leaseSeconds: number, askedAtMs: number): Held;
  remove(held: Held): void;
  /** Resolves when at most `count` are held. */
  atMost(count: number): Promise<void>;
  /** Prolongs all leases, and stops the runs whose lease is lost. */
  renew(): Promise<void>;
  /** Stops all runs, and those that are still to come. */
  stop(error: StoppedError): void;
}

/** Holds nothing yet. */
export function createClaims(app: App, now: () => number = () => performance.now()): Claims {
  const all = new Set<Held>();
  const waiting: { count: number; resolve: () => void }[] = [];
  let stopped: StoppedError | undefined;
  const lose = (held: Held) => {
    if (held.controller.signal.aborted) return;
    app.log.warn("a lease was lost; the run is stopped and what it does is dropped", {
      job: held.job.id,
      kind: held.job.kind,
    });
    held.controller.abort(new StoppedError("lease_lost"));
  };
  return {
    get size() {
      return all.size;
    },
    add(job, leaseSeconds, askedAtMs) {
      const controller = new AbortController();
      if (stopped) controller.abort(stopped);
      const held = { job, controller, leaseSeconds, heldUntilMs: askedAtMs + leaseSeconds * 1000 };
      all.add(held);
      return held;
    },
    remove(held) {
      all.delete(held);
      for (const waiter of [...waiting]) {
        if (all.size > waiter.count) continue;
        waiting.splice(waiting.indexOf(waiter), 1);
        waiter.resolve();
      }
    },
    async atMost(count) {
      if (all.size <= count) return;
      await new Promise<void>((resolve) => waiting.push({ count, resolve }));
    },
    async renew() {
      const asked = [...all];
      if (asked.length === 0) return;
      try {
        const askedAtMs = now();
        const kept = await renewAll(app, asked);
        for (const held of asked) {
          if (kept.has(held)) held.heldUntilMs = askedAtMs + held.leaseSeconds * 1000;
          else if (all.has(held)) lose(held);
        }
      } finally {
        // Cut off from the database, a worker must not go on with what another may have taken over.
        for (const held of all) if (now() > held.heldUntilMs) lose(held);
      }
    },
    stop(error) {
      stopped = error;
      for (const held of all) held.controller.abort(error);
    },
  };
}

async function renewAll(app: App, asked: readonly Held[]): Promise<ReadonlySet<Held>> {
  const rows = await renewLeases(
    app.db,
    asked.map(({ job, leaseSeconds }) => ({ id: job.id, claims: job.claims, leaseSeconds })),
  );
  const kept = new Set(rows.map((row) => `${row.id}/${row.claims}`));
  return new Set(asked.filter(({ job }) => kept.has(`${job.id}/${job.claims}`)));
}
