/**
 * Steps about what breaks underneath: workers that are killed or stopped, a database that goes away.
 * @module
 */
import { arrayLiteral } from "../../lib/db/db.ts";
import type { Answer, Site } from "../site.ts";
import type { System } from "../system.ts";
import { until } from "../until.ts";
import { jobOfChat, messagesTo } from "./look.ts";
import { expect, step } from "./step.ts";

const CHAT = 201;
const SENDERS = 8;
const PAUSE_MS = 10;

/**
 * The lease runs out, and the job with it goes to the other worker. The killed one had sent its message already, and no
 * worker can know that: work that reaches outside is done at least once.
 */
export const killedWorker = step(
  "a worker killed in the middle of a job: the other one does it",
  async (system) => {
    system.telegram.failChat(CHAT, { delayMs: 60_000 });
    await system.telegram.write("/ping", CHAT);
    await until(
      "the message has left",
      () => messagesTo(system, CHAT).length,
      (count) => count === 1,
    );
    system.telegram.failChat(CHAT);
    const victim = await workerWith(system, CHAT);
    await victim.kill();
    system.workers.delete(victim);
    const killedAt = performance.now();
    const job = await until(
      "the job is done",
      () => jobOfChat(system, CHAT),
      (job) => job?.status === "done",
    );
    const seconds = ((performance.now() - killedAt) / 1000).toFixed(1);
    expect("the job", { lost: job!.lost, claims: job!.claims }, { lost: 1, claims: 2 });
    expect("pongs, the killed worker's included", messagesTo(system, CHAT).length, 2);
    await system.startWorker();
    return `${victim.name} killed; done by the other after ${seconds} s; the killed one's pong had left, so there are two`;
  },
);

async function workerWith(system: System, chat: number) {
  const job = await jobOfChat(system, chat);
  const worker = [...system.workers].find(({ pid }) => job?.lockedBy?.endsWith(`/${pid}`));
  if (worker) return worker;
  throw new Error(`expected the job to be held by a worker, seen ${Deno.inspect(job)}`);
}

/** Moving the last slot back stands for the time during which no worker ran. */
export const missedSchedule = step(
  "workers stop cleanly; after long downtime two of them make one heartbeat",
  async (system) => {
    const codes = await Promise.all([...system.workers].map((worker) => worker.stop()));
    expect("exit codes", codes, [0, 0]);
    system.workers.clear();
    const { sql } = system.database;
    const before = await heartbeats(system);
    await sql`update schedules set last_slot = '2000-01-01T00:00Z' where name = 'heartbeat'`;
    await Promise.all([system.startWorker(), system.startWorker()]);
    const after = await until(
      "a heartbeat is done",
      () => heartbeats(system),
      ({ done }) => done > before.done,
    );
    expect("new heartbeats", after.all - before.all, 1);
    return "both exited with 0; two workers started, one heartbeat for all the missed hours";
  },
);

async function heartbeats({ database: { sql } }: System): Promise<{ all: number; done: number }> {
  const [counts] = await sql<{ all: number; done: number }[]>`
    select count(*)::integer as all, count(*) filter (where status = 'done')::integer as done
    from jobs where kind = 'heartbeat'
  `;
  return counts!;
}

/** Whoever got a 2xx may forget the form; whoever got a 503 knows when to send it again. */
export const interruptedDatabase = step(
  "the database restarts under load: each 202 has its row, the others get 503",
  async (system) => {
    const { site, database } = system;
    const answers: Answer[] = [];
    const stop = new AbortController();
    const sending = Promise.all(
      Array.from(
        { length: SENDERS },
        (_, sender) => keepPosting(site, sender, answers, stop.signal),
      ),
    );
    try {
      await until("forms are stored", () => answers.length, (count) => count > 100);
      await database.interrupt();
      const back = answers.length;
      await until(
        "forms are stored again",
        () => answers.slice(back).map(({ status }) => status),
        (seen) => seen.includes(202),
      );
    } finally {
      stop.abort();
      await sending;
    }
    const last = await site.post(form("after"));
    expect("the answer afterwards", last.status, 202);
    return await account(system, [...answers, last]);
  },
);

async function keepPosting(
  site: Site,
  sender: number,
  answers: Answer[],
  stop: AbortSignal,
): Promise<void> {
  for (let count = 0; !stop.aborted; count++) {
    answers.push(await site.post(form(`${sender}-${count}`)));
    await new Promise((wake) => setTimeout(wake, PAUSE_MS));
  }
}

const form = (name: string) => JSON.stringify({ id: `drill-load-${name}` });

async function account({ database: { sql } }: System, answers: readonly Answer[]): Promise<string> {
  const accepted = answers.filter(({ status }) => status === 202);
  const refused = answers.filter(({ status }) => status !== 202);
  const odd = refused.filter(({ status, retryAfter }) =>
    status !== 503 || !(Number(retryAfter) > 0)
  );
  expect("answers that are neither 202 nor 503 with Retry-After", odd, []);
  if (refused.length === 0) throw new Error("expected some 503 during the outage, seen none");
  const ids = arrayLiteral(accepted.map(({ body }) => `${body.id}`));
  const unfinished = () =>
    sql<{ stored: number; done: number }[]>`
    select count(distinct events.id)::integer as stored,
      count(distinct events.id) filter (where jobs.status = 'done')::integer as done
    from events left join jobs on jobs.event_id = events.id where events.id = any(${ids}::bigint[])
  `;
  const [seen] = await unfinished();
  expect("stored events of the 202 answers", seen!.stored, accepted.length);
  await until("all their jobs are done", unfinished, ([seen]) => seen!.done === accepted.length);
  return `${accepted.length} times 202, all stored and done; ${refused.length} times 503 with Retry-After`;
}
