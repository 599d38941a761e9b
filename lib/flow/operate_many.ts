/**
 * What an operator does by hand to many at once, at a rate that leaves room for fresh work.
 * @module
 */
import type { App } from "../app.ts";
import { describeError, RefusedError } from "../base/errors.ts";
import { sleep } from "../base/repeat.ts";
import { listTakenKeys, retryFailedJobs } from "../db/jobs_bulk.ts";
import { planReplay, replay, type ReplayedJob } from "./operate.ts";

const RETRY_BATCH = 500;

/**
 * Gives failed jobs a fresh budget, and spreads their due times: what failed together does not come back together. The queue
 * keeps the rate by itself afterwards. Returns how many were failed still.
 */
export async function retryMany(
  { db }: Pick<App, "db">,
  ids: readonly string[],
  { perSecond }: { perSecond: number },
): Promise<number> {
  let retried = 0;
  for (let start = 0; start < ids.length; start += RETRY_BATCH) {
    const batch = ids.slice(start, start + RETRY_BATCH);
    const spread = { delaySeconds: start / perSecond, pauseSeconds: 1 / perSecond };
    retried += (await retryFailedJobs(db, batch, spread)).length;
  }
  return retried;
}

/** What became of one event of many. */
export type ReplayStep =
  & { readonly event: string }
  & ({ readonly jobs: readonly ReplayedJob[] } | { readonly skipped: string });

/** How many events are replayed. */
export interface ReplayManyOptions {
  readonly again: boolean;
  readonly perSecond: number;
  /** Stops between two events: none is done by half. */
  readonly signal: AbortSignal;
}

/** Routes events again, one after the other; those that cannot be routed are skipped. */
export async function* replayMany(
  app: App,
  ids: readonly string[],
  { again, perSecond, signal }: ReplayManyOptions,
): AsyncGenerator<ReplayStep> {
  const startMs = performance.now();
  for (const [index, event] of ids.entries()) {
    const dueMs = startMs + index * 1000 / perSecond;
    await sleep(Math.max(0, dueMs - performance.now()), signal);
    if (signal.aborted) return;
    yield { event, ...await orSkipped(app, () => replay(app, event, { again })) };
  }
}

/** A job that a replay would make, unless its key is taken by then. */
export interface PlannedJob {
  readonly kind: string;
  readonly key: string | null;
  readonly taken: boolean;
}

/** What a replay would do to one event. */
export type PlannedStep =
  & { readonly event: string }
  & ({ readonly jobs: readonly PlannedJob[] } | { readonly skipped: string });

/** Tells what `replayMany` would do, and changes nothing. A key counts as taken by the first job that would have it. */
export async function planReplayMany(
  app: App,
  ids: readonly string[],
  options: { again: boolean },
): Promise<PlannedStep[]> {
  const steps: PlannedStep[] = [];
  const taken = new Set<string>();
  const plan = async (event: string) => {
    const rows = await planReplay(app, event, options);
    const keys = rows.flatMap(({ key }) => key === null ? [] : [key]);
    for (const key of await listTakenKeys(app.db, keys)) taken.add(key);
    return rows.map(({ kind, key }) => {
      const job = { kind, key, taken: key !== null && taken.has(key) };
      if (key !== null) taken.add(key);
      return job;
    });
  };
  for (const event of ids) steps.push({ event, ...await orSkipped(app, () => plan(event)) });
  return steps;
}

async function orSkipped<T>(
  { redact }: App,
  work: () => Promise<T>,
): Promise<{ jobs: T } | { skipped: string }> {
  try {
    return { jobs: await work() };
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error;
    return { skipped: redact(describeError(error)) };
  }
}
