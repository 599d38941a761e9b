/**
 * Runs claimed jobs and hands their endings on. A job with which a worker died runs alone, so that it can harm no other.
 * @module
 */
import type { App } from "../app.ts";
import type { Watchdog } from "../base/watchdog.ts";
import type { Job } from "../contract.ts";
import type { Transition } from "../db/claims.ts";
import { execute } from "../flow/execute.ts";
import type { Settler } from "../flow/settle.ts";
import type { Claims, Held } from "./claims.ts";

/** The runs of one worker. */
export interface Runner {
  start(held: Held): void;
  /** Whether a quarantined job has, or waits for, the worker to itself. */
  readonly alone: boolean;
  /** Resolves when no quarantined job has the worker to itself any more. */
  aloneEnded(): Promise<void>;
  /** Jobs whose handlers have not ended, also of runs that were stopped; this process must not start them again. */
  unsettled(): string[];
  /** Jobs whose handlers go on although their runs were stopped that long ago. */
  stuck(forMs: number): string[];
  /** When a run last began or ended, by the monotonic clock. */
  readonly lastMoveMs: number;
}

/** What a runner works with. */
export interface RunnerParts {
  readonly claims: Claims;
  readonly settler: Settler;
  /** Is told of each run, so that a stall names its job. */
  readonly watchdog?: Watchdog;
  onGivenUp(): void;
  onAloneEnded(): void;
}

/** Has started nothing yet. */
export function createRunner(app: App, parts: RunnerParts): Runner {
  const { claims, settler, watchdog } = parts;
  /** When the run was stopped, by the id of its job; Infinity while it goes on. */
  const unsettled = new Map<string, number>();
  /** Jobs that run alone, or wait for that: one after the other, in the order in which they were handed in. */
  let suspects = 0;
  let lastSuspect = Promise.resolve();
  let lastMoveMs = performance.now();

  const run = async (held: Held) => {
    const { job } = held;
    unsettled.set(job.id, Infinity);
    watchdog?.began(job.id, job.kind);
    const { ending, settled } = execute(app, job, held.stop);
    settled.then(() => {
      unsettled.delete(job.id);
      watchdog?.ended(job.id);
    });
    const ended = await ending;
    lastMoveMs = performance.now();
    if (unsettled.has(job.id)) unsettled.set(job.id, lastMoveMs);
    if (ended === undefined) return;
    claims.ended(held);
    const transition = await settler.settle(job, ended);
    report(app, job, transition);
    if (transition?.status === "failed") parts.onGivenUp();
  };
  const runAlone = async (held: Held) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const before = lastSuspect;
    lastSuspect = promise;
    suspects++;
    try {
      const others = claims.size - 1;
      const about = { job: held.job.id, kind: held.job.kind, others };
      if (others > 0) app.log.info("a job that lost a worker waits until it can run alone", about);
      await before;
      await claims.until(() => claims.size <= suspects);
      await run(held);
    } finally {
      suspects--;
      resolve();
    }
  };
  const start = async (held: Held) => {
    lastMoveMs = performance.now();
    try {
      await (held.job.lost > 0 ? runAlone(held) : run(held));
    } catch (error) {
      // The job stays claimed until its lease ends, and counts as lost: worse than failed, better than a dead worker.
      app.log.error("a run broke", { job: held.job.id, kind: held.job.kind, error });
    } finally {
      claims.remove(held);
    }
    if (held.job.lost > 0) parts.onAloneEnded();
  };
  return {
    start: (held) => void start(held),
    get alone() {
      return suspects > 0;
    },
    aloneEnded: () => lastSuspect,
    get lastMoveMs() {
      return lastMoveMs;
    },
    unsettled: () => [...unsettled.keys()],
    stuck(forMs) {
      const since = performance.now() - forMs;
      return [...unsettled].filter(([_, stoppedMs]) => stoppedMs <= since).map(([id]) => id);
    },
  };
}

function report(app: App, job: Job, transition: Transition | undefined): void {
  const about = { job: job.id, kind: job.kind, attempt: job.attempts };
  if (!transition) return app.log.warn("a job's ending is dropped: its lease had been lost", about);
  const { status, reason, error, result, delaySeconds } = transition;
  if (status === "done") app.log.debug("job done", { ...about, result });
  else if (status === "failed") app.log.error("job failed", { ...about, reason, error });
  else if (transition.refund) app.log.info("job interrupted and released", about);
  else app.log.warn("job will be tried again", { ...about, delaySeconds, error });
}
