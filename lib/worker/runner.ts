/**
 * Runs claimed jobs and hands their endings on. A job with which a worker died runs alone, so that it can harm no other.
 * @module
 */
import type { App } from "../app.ts";
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
  /** Jobs whose handlers have not ended, also of runs that were stopped; this process must not start them again. */
  unsettled(): string[];
  /** When a run last began or ended, by the monotonic clock. */
  readonly lastMoveMs: number;
}

/** What a runner works with. */
export interface RunnerParts {
  readonly claims: Claims;
  readonly settler: Settler;
  onGivenUp(): void;
  onAloneEnded(): void;
}

/** Has started nothing yet. */
export function createRunner(app: App, parts: RunnerParts): Runner {
  const { claims, settler } = parts;
  const unsettled = new Set<string>();
  let alone = false;
  let lastMoveMs = performance.now();

  const run = async (held: Held) => {
    const { job } = held;
    unsettled.add(job.id);
    const { ending, settled } = execute(app, job, held.controller);
    settled.then(() => unsettled.delete(job.id));
    const ended = await ending;
    lastMoveMs = performance.now();
    if (ended === undefined) return;
    const transition = await settler.settle(job, ended);
    report(app, job, transition);
    if (transition?.status === "failed") parts.onGivenUp();
  };
  const runAlone = async (held: Held) => {
    alone = true;
    await claims.atMost(1);
    await run(held);
    alone = false;
  };
  const start = async (held: Held) => {
    lastMoveMs = performance.now();
    try {
      await (held.job.lost > 0 ? runAlone(held) : run(held));
    } finally {
      claims.remove(held);
    }
    if (held.job.lost > 0) parts.onAloneEnded();
  };
  return {
    start: (held) => void start(held),
    get alone() {
      return alone;
    },
    get lastMoveMs() {
      return lastMoveMs;
    },
    unsettled: () => [...unsettled],
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
