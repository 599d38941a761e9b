/**
 * Steps about workers that die, and workers that were away.
 * @module
 */
import type { Process } from "../process.ts";
import type { System } from "../system.ts";
import { until } from "../until.ts";
import { messagesTo } from "./look.ts";
import { jobThat, ping } from "./ping.ts";
import { expect, step } from "./step.ts";

const CHAT = 201;
const ANSWER_DELAY_MS = 60_000;

/**
 * The lease runs out, and the other worker takes the job. The killed one had sent its message already, which nobody else
 * can know: what reaches outside is done at least once.
 */
export const killedWorker = step(
  "a worker killed in the middle of a job: the other one finishes it",
  async (system) => {
    await ping(system, CHAT, { delayMs: ANSWER_DELAY_MS });
    const pongs = () => messagesTo(system, CHAT).length;
    await until("a pong on its way", pongs, (count) => count === 1);
    system.telegram.failChat(CHAT);
    const victim = await workerOf(system, CHAT);
    await victim.kill();
    const killedAt = performance.now();
    system.workers.delete(victim);
    const { lost, claims } = await jobThat(
      "a done job",
      system,
      CHAT,
      ({ status }) => status === "done",
    );
    const seconds = ((performance.now() - killedAt) / 1000).toFixed(1);
    expect("the job", { lost, claims }, { lost: 1, claims: 2 });
    expect("pongs, that of the killed worker included", pongs(), 2);
    await system.startWorker();
    return `${victim.name} killed, its job done after ${seconds} s (and a second pong: the first had left)`;
  },
);

async function workerOf(system: System, chat: number): Promise<Process> {
  const holder = ({ lockedBy }: { lockedBy: string | null }) =>
    [...system.workers].find(({ pid }) => lockedBy?.endsWith(`/${pid}`));
  const job = await jobThat("a job that a worker holds", system, chat, (job) => !!holder(job));
  return holder(job)!;
}

/** The last slot, moved back, stands for the time during which no worker ran. */
export const missedSchedule = step(
  "workers stopped, and two started after long downtime: one heartbeat, not one for each hour",
  async (system) => {
    const codes = await Promise.all([...system.workers].map((worker) => worker.stop()));
    system.workers.clear();
    expect("exit codes other than 0", codes.filter((code) => code !== 0), []);
    const before = await countHeartbeats(system);
    await system.database.sql`
      update schedules set last_slot = '2000-01-01T00:00Z' where name = 'heartbeat'
    `;
    await Promise.all([system.startWorker(), system.startWorker()]);
    const after = await until(
      "a heartbeat is done",
      () => countHeartbeats(system),
      ({ done }) => done > before.done,
    );
    expect("new heartbeats", after.all - before.all, 1);
    return "both exited with 0, two others made one heartbeat";
  },
);

async function countHeartbeats(
  { database: { sql } }: System,
): Promise<{ all: number; done: number }> {
  const [counts] = await sql<{ all: number; done: number }[]>`
    select count(*)::integer as all, count(*) filter (where status = 'done')::integer as done
    from jobs where kind = 'heartbeat'
  `;
  return counts!;
}
