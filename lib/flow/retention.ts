/**
 * What happens by itself, every few minutes: finished work that is old enough is taken away, in small batches with pauses.
 * @module
 */
import type { App } from "../app.ts";
import { describeError } from "../base/errors.ts";
import { repeat, sleep } from "../base/repeat.ts";
import type { Queries } from "../db/db.ts";
import {
  type Batch,
  type BatchRequest,
  completeRetention,
  removeBodies,
  removeEmptiedJobs,
  removeEvents,
  removeFinishedJobs,
  removeIdleLanes,
} from "../db/retention.ts";

const ROUND_MS = 300_000;
/** A batch is to be so short that nobody notices it. */
const BATCH_MS = 100;
const MAX_ROWS = 1000;
const MIN_ROWS = 10;
const FIRST_ROWS = 100;
/** Of all the time that a round takes, batches get one part of so many. */
const SHARE = 5;
const MIN_PAUSE_MS = 50;
/** A batch and its pause must end before the turn does. */
const MAX_PAUSE_MS = 10_000;

/** How large the next batch is, and how long after. */
export interface Pace {
  readonly rows: number;
  readonly pauseMs: number;
}

/** Follows from how long a batch of `rows` took: slow disks and large bodies get small batches and long pauses. */
export function nextPace(rows: number, tookMs: number): Pace {
  const factor = Math.min(2, Math.max(0.1, BATCH_MS / tookMs));
  return {
    rows: Math.min(MAX_ROWS, Math.max(MIN_ROWS, Math.floor(rows * factor))),
    pauseMs: Math.min(MAX_PAUSE_MS, Math.max(MIN_PAUSE_MS, tookMs * (SHARE - 1))),
  };
}

type Step = (db: Queries, request: BatchRequest) => Promise<Batch>;

/** In this order: jobs let go of their events, and bodies of the keys. */
function stepsOf({ config }: Pick<App, "config">): Record<string, Step> {
  const { RETAIN_DONE_DAYS, RETAIN_FAILED_DAYS, RETAIN_BODY_DAYS } = config;
  const keyDays = config.RETAIN_KEY_DAYS;
  const finished =
    (status: "done" | "superseded" | "failed", days: number): Step => (db, request) =>
      removeFinishedJobs(db, { ...request, status, days, keyDays });
  return {
    done: finished("done", RETAIN_DONE_DAYS),
    superseded: finished("superseded", RETAIN_DONE_DAYS),
    failed: finished("failed", RETAIN_FAILED_DAYS),
    keys: (db, request) => removeEmptiedJobs(db, { ...request, keyDays }),
    bodies: (db, request) => removeBodies(db, { ...request, days: RETAIN_BODY_DAYS }),
    events: (db, request) => removeEvents(db, { ...request, keyDays }),
    lanes: removeIdleLanes,
  };
}

/** One worker's cleaning up. */
export interface Retention {
  /** Takes away all that is old, or nothing when another worker is at it. Ends between two batches when it is stopped. */
  round(): Promise<void>;
}

/** Has removed nothing yet. `worker` tells its turn from those of others. */
export function createRetention(
  app: Pick<App, "config" | "db" | "log">,
  worker: string,
  stopping: AbortSignal,
): Retention {
  // Kept over failures and rounds: batches that once ran into the deadline come smaller the next time.
  let pace: Pace = { rows: FIRST_ROWS, pauseMs: MIN_PAUSE_MS };
  const runBatch = async (step: Step): Promise<Batch & { more: boolean }> => {
    const { rows } = pace;
    const startMs = performance.now();
    try {
      const batch = await step(app.db, { worker, limit: rows });
      return { ...batch, more: batch.ours && batch.rows === rows };
    } finally {
      pace = nextPace(rows, performance.now() - startMs);
    }
  };
  /** Says how many rows a step took, and whether it came to its end. */
  const runStep = async (step: Step): Promise<{ rows: number; ended: boolean }> => {
    for (let rows = 0;;) {
      if (stopping.aborted) return { rows, ended: false };
      const batch = await runBatch(step);
      rows += batch.rows;
      if (!batch.more) return { rows, ended: batch.ours };
      await sleep(pace.pauseMs, stopping);
    }
  };
  return {
    async round() {
      for (const [name, step] of Object.entries(stepsOf(app))) {
        const { rows, ended } = await runStep(step);
        if (rows > 0) app.log.info("retention removed what was old", { what: name, rows });
        if (!ended) return;
      }
      await completeRetention(app.db, worker);
    },
  };
}

/** How a person is told that something is gone, and since which day (UTC); null when nobody knows. */
export function describeRemoval(what: "body" | "payload", at: Date | null): string {
  const day = at === null ? "" : ` on ${at.toISOString().slice(0, 10)}`;
  return `its ${what} was removed by retention${day}`;
}

/** Starts rounds. A failure waits for the next one: whether the database is there is for others to notice. */
export function startRetention(
  app: Pick<App, "config" | "db" | "log">,
  worker: string,
): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const retention = createRetention(app, worker, stopping.signal);
  const rounds = repeat(ROUND_MS, () => retention.round(), (error) => {
    app.log.warn("retention failed and goes on later", { why: describeError(error) });
  });
  return {
    stop() {
      stopping.abort();
      return rounds.stop();
    },
  };
}
