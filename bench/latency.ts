/**
 * How long work waits: from the 202 to the handler's first line, when nothing else is going on and under a steady load.
 * @module
 */
import type { Bench } from "./bench.ts";
import { type Connection, openConnection, prepareRequests } from "./client.ts";
import { portOf } from "./intake.ts";
import { finish, type Program } from "./programs.ts";
import { PEER_CONCURRENCY, startWorker } from "./queue.ts";
import type { Database } from "./server.ts";
import { median, quantile, takeTurns } from "./statistics.ts";

const IDLE_JOBS = 200;
/** Between two jobs of an idle system; odd, so that it does not fall in step with a poll. */
const IDLE_PAUSE_MS = 37;
const PER_SECOND = 500;
const LOAD_SECONDS = 15;
/** Before that, of the same load: a program that has just started compiles its code, which takes longer than the work. */
const WARM_SECONDS = 3;
/** More than are busy unless answers take longer than 256 ms. */
const CONNECTIONS = 128;
const LATE_SECONDS = 30;
const SHARES = [50, 95, 99];

/** A system under measurement: hands in one job, and tells its number and when it was known to be durable. */
interface System extends AsyncDisposable {
  handIn(): Promise<{ id: string; atMs: number }>;
  /** Says `began <id> <milliseconds>` for each job. */
  readonly worker: Program;
}

/** Hookwork by HTTP, and graphile-worker by its `add_job`. */
export async function benchLatency(bench: Bench): Promise<void> {
  const { report, peers } = bench;
  report.note(`latency: ${bench.rounds} rounds`);
  const systems = [
    { who: "hookwork", open: openHookwork },
    ...peers ? [{ who: "graphile-worker fastest", open: openGraphile }] : [],
  ];
  const loads = [
    { what: "idle", run: idle },
    { what: `at ${PER_SECOND} jobs/s`, run: steady },
  ];
  for (const { what, run } of loads) {
    const turns = systems.map(({ who, open }) => ({
      who,
      measure: async () => {
        await using database = await bench.server.database();
        await using system = await open(bench, database);
        return await run(bench, system);
      },
    }));
    for (const [who, rounds] of await takeTurns(turns, bench.rounds)) {
      for (const share of SHARES) {
        const values = rounds.map((waits) => quantile(waits, share / 100));
        const value = median(values);
        report.add({ bench: "latency", what, who, value, unit: `ms p${share}`, rounds: values });
        const isGoal = run === steady && who === "hookwork" && share === 99;
        if (isGoal) report.goal({ bench: "latency", what: `${what}, p99 in ms`, value, below: 25 });
      }
    }
  }
}

/** One job after the other, each once the one before it has begun. */
async function idle({ scaled }: Bench, system: System): Promise<number[]> {
  const waits: number[] = [];
  for (let jobs = scaled(IDLE_JOBS); jobs > 0; jobs--) {
    waits.push(...await waitsOf(system, [await system.handIn()]));
    await new Promise((wake) => setTimeout(wake, IDLE_PAUSE_MS));
  }
  return waits;
}

/** By the clock, however slow the answers are: a sender does not wait for us. */
async function steady(bench: Bench, system: System): Promise<number[]> {
  const { warm, count } = steadyJobs(bench);
  const beganMs = performance.now();
  const given: Promise<{ id: string; atMs: number }>[] = [];
  while (given.length < count) {
    const due = Math.min(count, (performance.now() - beganMs) / 1000 * PER_SECOND);
    while (given.length < due) given.push(system.handIn());
    await new Promise((wake) => setTimeout(wake, 1));
  }
  return (await waitsOf(system, await Promise.all(given))).slice(warm);
}

/** How many jobs there are, and how many of them come before the measurement. */
function steadyJobs({ scaledSeconds }: Bench): { warm: number; count: number } {
  const warm = Math.round(PER_SECOND * scaledSeconds(WARM_SECONDS));
  return { warm, count: warm + Math.round(PER_SECOND * scaledSeconds(LOAD_SECONDS)) };
}

/** Negative when a handler was faster than the answer. */
async function waitsOf(
  { worker }: System,
  jobs: readonly { id: string; atMs: number }[],
): Promise<number[]> {
  const began = new Map<string, number>();
  const deadlineMs = performance.now() + LATE_SECONDS * 1000;
  let read = 0;
  while (!jobs.every(({ id }) => began.has(id))) {
    if (performance.now() > deadlineMs) {
      throw new Error(`Cannot measure: of ${jobs.length} jobs only ${began.size} have begun`);
    }
    await new Promise((wake) => setTimeout(wake, 1));
    for (const line of worker.process.lines.slice(read)) {
      read++;
      const [_, id, atMs] = /bench began (\S+) (\S+)/.exec(line) ?? [];
      if (id !== undefined) began.set(id, Number(atMs));
    }
  }
  return jobs.map(({ id, atMs }) => began.get(id)! - atMs);
}

async function openHookwork(bench: Bench, database: Database): Promise<System> {
  await using stack = new AsyncDisposableStack();
  const { launcher } = bench;
  await database.migrate();
  const receiver = stack.use(await launcher.hookwork("main.ts", database.url));
  const worker = stack.use(await startWorker(launcher, database.url, 0, { BENCH_EACH: "1" }));
  const [port] = await Promise.all([portOf(receiver), worker.heard("started")]);
  const free = await Promise.all(Array.from({ length: CONNECTIONS }, () => openConnection(port)));
  free.forEach((connection) => stack.use(connection));
  const secret = launcher.secrets.SITE_WEBHOOK_SECRET;
  const count = bench.scaled(IDLE_JOBS) + steadyJobs(bench).count;
  const requests = prepareRequests(count, { secret, repeats: 0 });
  const waiting: ((connection: Connection) => void)[] = [];
  const held = stack.move();
  return {
    worker,
    async handIn() {
      const connection = free.pop() ??
        await new Promise<Connection>((resolve) => waiting.push(resolve));
      const { status, body, atMs } = await connection.send(requests.pop()!);
      const next = waiting.shift();
      if (next) next(connection);
      else free.push(connection);
      if (status !== 202) throw new Error(`Cannot count an answer ${status}: ${body}`);
      return { id: JSON.parse(body).id, atMs };
    },
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  };
}

async function openGraphile(bench: Bench, database: Database): Promise<System> {
  const { launcher, peers } = bench;
  const run = (...args: string[]) =>
    launcher.peer(peers!, "graphile_worker.mjs", database.url, ...args);
  await finish(run("fill", "0", "0"));
  const worker = run("work", "fastest", "0", `${PEER_CONCURRENCY}`);
  await worker.heard("bench started");
  let jobs = 0;
  return {
    worker,
    async handIn() {
      const id = `${++jobs}`;
      const payload = JSON.stringify({ ms: 0, id });
      await database.sql`select graphile_worker.add_job('bench', ${payload}::text::json)`;
      return { id, atMs: performance.timeOrigin + performance.now() };
    },
    [Symbol.asyncDispose]: () => worker[Symbol.asyncDispose](),
  };
}
