/** Workers that are frozen, killed and stopped at random and started again, until they are left alone. */

import { sleep } from "../../../lib/base/repeat.ts";
import type { TestProcess } from "../process.ts";
import { seeded } from "../seeded.ts";
import type { System } from "../system.ts";

/** A worker lives for so long, by chance. */
const LIFE_MS = { min: 500, max: 9000 };
/** What befalls it then, by chance; else it is stopped. */
const FROZEN = 0.3;
const KILLED = 0.4;
/** Beyond a lease, so that others take its jobs over; it comes back and still believes that it has them. */
const FROZEN_MS = 2500;

/** The worker processes of one stress run. */
export interface Crew extends AsyncDisposable {
  readonly count: { freezes: number; kills: number; stops: number; deaths: number };
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
  const count = { freezes: 0, kills: 0, stops: 0, deaths: 0 };
  const crew = new Set<TestProcess>();

  /** Says whether the worker has ended. */
  const strike = async (worker: TestProcess, chance: number): Promise<boolean> => {
    if (chance < FROZEN) {
      count.freezes++;
      worker.kill("SIGSTOP");
      await sleep(FROZEN_MS, calm.signal);
      worker.kill("SIGCONT");
      return false;
    }
    const isKilled = chance < FROZEN + KILLED;
    count[isKilled ? "kills" : "stops"]++;
    worker.kill(isKilled ? "SIGKILL" : "SIGTERM");
    await worker.exit;
    return true;
  };
  const live = async (worker: TestProcess, random: () => number) => {
    crew.add(worker);
    if (over.signal.aborted) worker.kill("SIGTERM");
    const died = worker.exit.then(() => true);
    for (let hasEnded = false; !hasEnded;) {
      const lifeMs = LIFE_MS.min + random() * (LIFE_MS.max - LIFE_MS.min);
      const livedLong = sleep(lifeMs, calm.signal).then(() => calm.signal.aborted && died);
      const hasDied = await Promise.race([died, livedLong]);
      if (over.signal.aborted) return;
      if (hasDied) count.deaths++;
      hasEnded = hasDied || await strike(worker, random());
    }
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
