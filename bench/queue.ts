/**
 * How many jobs a second one worker process does: Hookwork, its peers, and the least that Postgres has to do for it.
 * @module
 */
import type { Bench } from "./bench.ts";
import type { Peers } from "./peers.ts";
import { drainByHand, fillJobs, isQueueEmpty } from "./queue_sql.ts";
import { finish, type Launcher, type Program } from "./programs.ts";
import type { Database } from "./server.ts";
import type { Goal } from "./report.ts";
import { median, takeTurns } from "./statistics.ts";

/** For handlers that take a while, and for what is compared with itself. */
export const CONCURRENCY = 200;
/** For trivial jobs: what the README names for them. */
const FASTEST_CONCURRENCY = 500;
/** What graphile-worker's page on performance names for its own figures. */
export const PEER_CONCURRENCY = 24;
const JOBS = 50_000;
/** Its defaults do one job at a time, each with two commits: it would hold up the others for a minute. */
const JOBS_OF_DEFAULTS = 5000;
const HANDLERS_MS = [1, 4, 10];
const JOBS_OF_HANDLERS = 20_000;
const POLL_MS = 5;

/** A work load. */
interface Load {
  readonly jobs: number;
  /** How long each handler takes. */
  readonly ms: number;
}

/** One who does jobs. */
interface Candidate {
  readonly who: string;
  fill(database: Database, load: Load): Promise<void>;
  /** Begins to work; the program says when its first handler began. */
  start(database: Database, load: Load): Promise<Program> | Program;
  /** Whether all jobs are done, and durably so. */
  isDone(database: Database): Promise<boolean>;
  /** How many of the load's jobs it is given; all when absent. */
  readonly jobs?: number;
}

/** What doing the jobs cost. */
interface Cost {
  readonly perSecond: number;
  readonly walBytes: number;
  readonly commits: number;
}

/** Trivial jobs with their cost in Postgres, then jobs that take a while. */
export async function benchQueue(bench: Bench): Promise<void> {
  const { launcher, peers, report } = bench;
  const trivial = [
    hookwork(launcher, FASTEST_CONCURRENCY),
    ...peers ? [...graphileWorkers(launcher, peers), pgBoss(launcher, peers)] : [],
  ];
  const rates = await compare(bench, trivial, { jobs: bench.scaled(JOBS), ms: 0 });
  goals(rates, report.goal);
  const slow = [
    hookwork(launcher, CONCURRENCY),
    ...peers ? [graphileAt(launcher, peers, CONCURRENCY), pgBoss(launcher, peers)] : [],
  ];
  for (const ms of HANDLERS_MS) {
    await compare(bench, slow, { jobs: bench.scaled(JOBS_OF_HANDLERS), ms });
  }
}

async function compare(
  bench: Bench,
  candidates: readonly Candidate[],
  load: Load,
): Promise<Map<string, number>> {
  const what = load.ms === 0 ? "trivial handlers" : `handlers of ${load.ms} ms`;
  bench.report.note(`queue: ${what}, ${bench.rounds} rounds`);
  const turns = candidates.map((candidate) => ({
    who: candidate.who,
    measure: () => measure(bench, candidate, load),
  }));
  if (load.ms === 0) turns.unshift({ who: BOUND, measure: () => measureBound(bench, load.jobs) });
  const costs = await takeTurns(turns, bench.rounds);
  const rates = new Map<string, number>();
  for (const [who, rounds] of costs) {
    const add = (unit: string, values: readonly number[]) => {
      const value = median(values);
      bench.report.add({ bench: "queue", what, who, value, unit, rounds: values });
      return value;
    };
    rates.set(who, add("jobs/s", rounds.map((cost) => cost.perSecond)));
    if (load.ms > 0) continue;
    add("WAL bytes/job", rounds.map((cost) => cost.walBytes));
    add("commits/job", rounds.map((cost) => cost.commits));
  }
  return rates;
}

async function measure(bench: Bench, candidate: Candidate, given: Load): Promise<Cost> {
  const load = { ...given, jobs: Math.min(given.jobs, candidate.jobs ?? Infinity) };
  await using database = await bench.server.database();
  await candidate.fill(database, load);
  await database.settle();
  const before = await database.counters();
  let seconds: number;
  {
    await using program = await candidate.start(database, load);
    seconds = await secondsToFinish(program, () => candidate.isDone(database));
  }
  // Once the program is gone: Postgres counts what a connection did at its end at the latest.
  return costOf(load.jobs, seconds, before, await database.counters());
}

/** From the begin of the first handler until the last job's end is durable; the start of the program does not count. */
export async function secondsToFinish(
  program: Program,
  isDone: () => Promise<boolean>,
): Promise<number> {
  const [first] = await Promise.all([program.heard("bench first"), program.heard("bench last")]);
  while (!await isDone()) await new Promise((wake) => setTimeout(wake, POLL_MS));
  return (performance.timeOrigin + performance.now() - Number(first)) / 1000;
}

type Counted = Awaited<ReturnType<Database["counters"]>>;

function costOf(jobs: number, seconds: number, before: Counted, after: Counted): Cost {
  return {
    perSecond: jobs / seconds,
    walBytes: (after.walBytes - before.walBytes) / jobs,
    commits: (after.commits - before.commits) / jobs,
  };
}

const OURS = `hookwork, ${FASTEST_CONCURRENCY} at once`;
const BOUND = "bound: claim and finish, nothing else";
const FASTEST = `graphile-worker fastest, ${PEER_CONCURRENCY} at once`;
const DEFAULTS = "graphile-worker defaults";
const PG_BOSS = "pg-boss, batches of 500";

function hookwork(launcher: Launcher, concurrency: number): Candidate {
  return {
    who: `hookwork, ${concurrency} at once`,
    async fill(database, { jobs, ms }) {
      await database.migrate();
      await fillJobs(database.sql, { jobs, ms });
    },
    start: ({ url }, { jobs }) =>
      startWorker(launcher, url, jobs, { WORKER_CONCURRENCY: `${concurrency}` }),
    isDone: ({ sql }) => isQueueEmpty(sql),
  };
}

/** A worker with the handlers of the bench, as many at once as it can. */
export function startWorker(
  launcher: Launcher,
  url: string,
  jobs: number,
  env: Record<string, string> = {},
): Promise<Program> {
  const settings = { BENCH_JOBS: `${jobs}`, WORKER_CONCURRENCY: `${CONCURRENCY}`, ...env };
  return launcher.hookwork("bench/worker.ts", url, settings);
}

function graphileWorkers(launcher: Launcher, peers: Peers): Candidate[] {
  return [
    { ...graphileAt(launcher, peers, PEER_CONCURRENCY), who: FASTEST },
    { ...graphile(launcher, peers, "default", 1), who: DEFAULTS, jobs: JOBS_OF_DEFAULTS },
  ];
}

function graphileAt(launcher: Launcher, peers: Peers, concurrency: number): Candidate {
  return graphile(launcher, peers, "fastest", concurrency);
}

function graphile(
  launcher: Launcher,
  peers: Peers,
  settings: "default" | "fastest",
  concurrency: number,
): Candidate {
  const run = (url: string, ...args: string[]) =>
    launcher.peer(peers, "graphile_worker.mjs", url, ...args);
  return {
    who: `graphile-worker ${settings}, ${concurrency} at once`,
    fill: ({ url }, { jobs, ms }) => finish(run(url, "fill", `${jobs}`, `${ms}`)),
    start: ({ url }, { jobs }) => run(url, "work", settings, `${jobs}`, `${concurrency}`),
    // It deletes what is done.
    async isDone({ sql }) {
      const [row] = await sql`select exists (select from graphile_worker._private_jobs) as any`;
      return !row!.any;
    },
  };
}

function pgBoss(launcher: Launcher, peers: Peers): Candidate {
  const run = (url: string, ...args: string[]) => launcher.peer(peers, "pg_boss.mjs", url, ...args);
  return {
    who: PG_BOSS,
    fill: ({ url }, { jobs, ms }) => finish(run(url, "fill", `${jobs}`, `${ms}`)),
    start: ({ url }, { jobs }) => run(url, "work", `${jobs}`),
    async isDone({ sql }) {
      const [row] = await sql`
        select exists (select from pgboss.job where name = 'bench' and state < 'completed') as any
      `;
      return !row!.any;
    },
  };
}

async function measureBound(bench: Bench, jobs: number): Promise<Cost> {
  await using database = await bench.server.database();
  await database.migrate();
  await fillJobs(database.sql, { jobs, ms: 0 });
  await database.settle();
  const before = await database.counters();
  const beganMs = performance.now();
  await drainByHand(database.url);
  const seconds = (performance.now() - beganMs) / 1000;
  return costOf(jobs, seconds, before, await database.counters());
}

function goals(rates: ReadonlyMap<string, number>, goal: (goal: Goal) => void): void {
  const ours = rates.get(OURS)!;
  const wanted = [[FASTEST, 2], [DEFAULTS, 15], [PG_BOSS, 3]] as const;
  for (const [peer, atLeast] of wanted) {
    const rate = rates.get(peer);
    if (rate === undefined) continue;
    goal({ bench: "queue", what: `hookwork to ${peer}`, value: ours / rate, atLeast });
  }
}
