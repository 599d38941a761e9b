/** Workers that are killed and stopped at random and started again, until they are left alone. */

import { sleep } from "../../../lib/base/repeat.ts";
import type { TestProcess } from "../process.ts";
import { seeded } from "../seeded.ts";
import type { System } from "../system.ts";

/** A worker lives for so long, by chance. */
const LIFE_MS = { min: 500, max: 9000 };
/** Of those that are ended, so many are killed; the others are stopped. */
const KILLED = 0.6;

/** The worker processes of one stress run. */
export interface Crew extends AsyncDisposable {
  readonly count: { kills: number; stops: number; deaths: number };
  /** Ends no more of them by chance. One that ends by itself is still started anew. */
  leaveAlone(): void;
  /** Stops all; gives the exit codes of those that nothing else had ended. */
  stop(): Promise<number[]>;
}

/** Starts so many workers. */
export async function startCrew(
  system: System,
  { workers, seed }: { workers: number; seed: number },
): Promise<Crew> {
  const calm = new AbortController();
  const over = new AbortController();
  const count = { kills: 0, stops: 0, deaths: 0 };
  const crew = new Set<TestProcess>();

  const endByChance = async (worker: TestProcess, random: () => number) => {
    if (random() < KILLED) {
      count.kills++;
      worker.kill("SIGKILL");
    } else {
      count.stops++;
      worker.kill("SIGTERM");
    }
    await worker.exit;
  };
  const live = async (worker: TestProcess, random: () => number) => {
    crew.add(worker);
    if (over.signal.aborted) worker.kill("SIGTERM");
    const lifeMs = LIFE_MS.min + random() * (LIFE_MS.max - LIFE_MS.min);
    const died = worker.exit.then(() => true);
    const livedLong = sleep(lifeMs, calm.signal).then(() => calm.signal.aborted && died);
    const hasDied = await Promise.race([died, livedLong]);
    if (over.signal.aborted) return;
    if (hasDied) count.deaths++;
    else await endByChance(worker, random);
    crew.delete(worker);
  };
  const first = await Promise.all(Array.from({ length: workers }, () => system.worker()));
  const lives = first.map(async (worker, index) => {
    const random = seeded(seed + index);
    await live(worker, random);
    while (!over.signal.aborted) await live(await system.worker(), random);
  });
  const ended = Promise.all(lives);
  // Whoever stops the crew hears of it; until then it must not end the test's process.
  ended.catch(() => {});
  return {
    count,
    leaveAlone: () => calm.abort(),
    async stop() {
      over.abort();
      crew.forEach((worker) => worker.kill("SIGTERM"));
      await ended;
      return await Promise.all([...crew].map(({ exit }) => exit));
    },
    async [Symbol.asyncDispose]() {
      calm.abort();
      over.abort();
      crew.forEach((worker) => worker.kill("SIGKILL"));
      await ended;
    },
  };
}
