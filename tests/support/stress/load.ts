/** Work for a stress run, by the product's own statements: deliveries, single jobs, and jobs of transactions that last. */

import { sleep } from "../../../lib/base/repeat.ts";
import type { NewJob } from "../../../lib/contract.ts";
import { type Db, inTransaction, onceMore } from "../../../lib/db/db.ts";
import { insertDeliveries } from "../../../lib/db/events.ts";
import { insertJobs, jobRow } from "../../../lib/db/jobs.ts";
import { deliveryRow } from "../jobs.ts";
import { seeded } from "../seeded.ts";

/** How long a transaction stays open whose jobs others overtake. */
const OPEN_MS = 100;
/** Of all deliveries, so many are repeats of earlier ones. */
const REPEATED = 0.15;
/** Of all batches, so many come twice in the same instant, in opposite orders, as to two receivers. */
const DOUBLED = 0.3;

/** What was made, by the answers of the product. */
export interface Made {
  /** How many jobs came with each stored event. */
  readonly events: Map<string, number>;
  readonly repeats: { count: number };
  /** The jobs that were made without an event. */
  readonly jobs: Set<number>;
}

/** Where the work comes from. */
export interface LoadOptions {
  readonly seed: number;
  /** Between two batches, on the average. */
  readonly pauseMs: number;
  draw(random: () => number): NewJob;
  /** Ends the load. */
  readonly stop: AbortSignal;
}

/** Makes work until stopped. */
export async function makeWork(db: Db, options: LoadOptions): Promise<Made> {
  const { seed, pauseMs, draw, stop } = options;
  const made: Made = { events: new Map(), repeats: { count: 0 }, jobs: new Set() };
  const loop = async (random: () => number, work: (random: () => number) => Promise<void>) => {
    while (!stop.aborted) {
      await work(random);
      await sleep(random() * 2 * pauseMs, stop);
    }
  };
  let keys = 0;
  const jobsOf = (random: () => number, most: number) =>
    Array.from({ length: Math.floor(random() * (most + 1)) }, () => jobRow(draw(random)));
  const deliver = async (random: () => number) => {
    const batch = Array.from({ length: 1 + Math.floor(random() * 6) }, () => {
      const isRepeat = random() < REPEATED;
      const key = isRepeat ? Math.floor(random() * (keys + 1)) : keys++;
      return deliveryRow({ dedupKey: `event:${key}`, jobs: jobsOf(random, 2) });
    });
    const copies = random() < DOUBLED ? [batch, batch.toReversed()] : [batch];
    const stored = copies.map((copy) => onceMore(() => insertDeliveries(db, copy)));
    for (const { id, jobs } of (await Promise.all(stored)).flat()) {
      if (id === null) made.repeats.count++;
      else made.events.set(id, jobs);
    }
  };
  const enqueue = async (random: () => number) => {
    const rows = jobsOf(random, 4);
    const ids = await db.sql.begin(async (sql) => {
      const ids = await insertJobs(inTransaction(sql), rows);
      await sleep(random() * OPEN_MS);
      return ids;
    });
    for (const id of ids) if (id !== null) made.jobs.add(Number(id));
  };
  const loops = [deliver, deliver, enqueue];
  await Promise.all(loops.map((work, index) => loop(seeded(seed + index), work)));
  return made;
}
