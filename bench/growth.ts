/**
 * What a queue's past and future cost its present: claims and throughput beside millions of rows that are not due.
 * @module
 */
import type { Bench } from "./bench.ts";
import {
  claimMs,
  fillFinished,
  fillFuture,
  fillLongEntity,
  fillPausedLane,
  holdSnapshot,
  keepStatistics,
} from "./growth_sql.ts";
import { secondsToFinish, startWorker } from "./queue.ts";
import { fillJobs, isQueueEmpty } from "./queue_sql.ts";
import type { Database } from "./server.ts";
import { median, takeTurns } from "./statistics.ts";

const FINISHED = 2_000_000;
const FUTURE = 300_000;
const READY = 100_000;
const ENTITIES = 10_000;
const FOLLOWERS = 100_000;
const IN_LANE = 200_000;
const HELD_SECONDS = 30;
const HELD_PER_SECOND = 800;
/** How often the steady load is handed in. */
const HELD_STEP_MS = 50;

/** A table in some state, and what goes on beside it. */
interface Case {
  readonly what: string;
  /** Brings a migrated database into the state; it is copied for each round. */
  fill(bench: Bench, database: Database): Promise<void>;
  /** Priorities of the due jobs, in turn. */
  readonly priorities?: readonly number[];
  /** Over how many entities the due jobs are spread; without one when absent. */
  readonly entities?: number;
  /** What the planner last heard of the table: what it holds now, or what it held before it was filled. */
  readonly statistics?: "fresh" | "stale";
  /** A steady load before the due jobs come, beside a snapshot that is held or not. */
  readonly before?: "free" | "held";
}

const EMPTY = "nothing else";
const GROWN = "2 M finished, 300 k future";
const STALE = "the same, statistics stale";
const PRIORITIES = "the same, four priorities";
const MANY_ENTITIES = "due jobs of 10,000 entities";
const LONG_ENTITY = "100,000 wait in one entity";
const PAUSED_LANE = "200,000 in a paused lane";
const FREE = "after a steady load";
const HELD = "the same, a snapshot held";

const CASES: readonly Case[] = [
  { what: EMPTY, fill: async () => {} },
  { what: GROWN, fill: grow },
  { what: STALE, fill: grow, statistics: "stale" },
  { what: PRIORITIES, fill: grow, priorities: [0, 1, 2, 3] },
  { what: MANY_ENTITIES, fill: async () => {}, entities: ENTITIES },
  { what: LONG_ENTITY, fill: ({ scaled }, { sql }) => fillLongEntity(sql, scaled(FOLLOWERS)) },
  { what: PAUSED_LANE, fill: ({ scaled }, { sql }) => fillPausedLane(sql, scaled(IN_LANE)) },
  { what: FREE, fill: async () => {}, before: "free" },
  { what: HELD, fill: async () => {}, before: "held" },
];

/** How long a claim takes when the due jobs wait, and how fast a worker then does them. */
interface Result {
  readonly claimMs: number;
  readonly perSecond: number;
}

/** Every case with as many due jobs; the goals are ratios between the cases. */
export async function benchGrowth(bench: Bench): Promise<void> {
  const { report, rounds } = bench;
  report.note(`growth: ${rounds} rounds; the tables are filled first`);
  await using stack = new AsyncDisposableStack();
  const turns = [];
  for (const one of CASES) {
    const template = stack.use(await bench.server.database());
    await prepare(bench, one, template);
    turns.push({ who: one.what, measure: () => measure(bench, one, template) });
  }
  const rates = new Map<string, number>();
  for (const [what, results] of await takeTurns(turns, rounds)) {
    const add = (unit: string, values: number[]) => {
      const value = median(values);
      report.add({ bench: "growth", what, who: "hookwork", value, unit, rounds: values });
      return value;
    };
    add("ms a claim", results.map((result) => result.claimMs));
    rates.set(what, add("jobs/s", results.map((result) => result.perSecond)));
  }
  const wanted = [
    [GROWN, EMPTY, 0.9],
    [STALE, EMPTY, 0.9],
    [LONG_ENTITY, EMPTY, 0.9],
    [PAUSED_LANE, EMPTY, 0.9],
    [HELD, FREE, 0.8],
  ] as const;
  for (const [what, to, atLeast] of wanted) {
    const value = rates.get(what)! / rates.get(to)!;
    report.goal({ bench: "growth", what: `${what}, to ${to}`, value, atLeast });
  }
}

async function prepare(bench: Bench, one: Case, template: Database): Promise<void> {
  await template.migrate();
  if (one.statistics === "stale") await keepStatistics(template.sql);
  await one.fill(bench, template);
  if (one.statistics !== "stale") await template.settle();
  // Whoever is connected to a database keeps it from being copied.
  await template.disconnect();
}

async function grow({ scaled }: Bench, { sql }: Database): Promise<void> {
  await fillFinished(sql, scaled(FINISHED));
  await fillFuture(sql, scaled(FUTURE));
}

async function measure(bench: Bench, one: Case, template: Database): Promise<Result> {
  await using stack = new AsyncDisposableStack();
  const database = stack.use(await bench.server.database(template.name));
  const { sql } = database;
  const steady = one.before === undefined
    ? 0
    : Math.round(HELD_PER_SECOND * bench.scaledSeconds(HELD_SECONDS));
  const ready = bench.scaled(READY);
  if (one.before === "held") stack.use(await holdSnapshot(database.url));
  if (steady > 0) await underSteadyLoad(bench, database, steady);
  const entities = one.entities && bench.scaled(one.entities);
  await fillJobs(sql, { jobs: ready, ms: 0, priorities: one.priorities, entities });
  await sql`checkpoint`;
  const claim = await claimMs(database.url);
  await using worker = await startWorker(bench.launcher, database.url, ready);
  const seconds = await secondsToFinish(worker, () => isQueueEmpty(sql));
  return { claimMs: claim, perSecond: ready / seconds };
}

/** A worker keeps up with jobs that come evenly, for as long as the load lasts. */
async function underSteadyLoad(
  { launcher }: Bench,
  { url, sql }: Database,
  jobs: number,
): Promise<void> {
  await using worker = await startWorker(launcher, url, jobs);
  await worker.heard("started");
  const beganMs = performance.now();
  for (let made = 0; made < jobs;) {
    const due = Math.floor((performance.now() - beganMs) / 1000 * HELD_PER_SECOND);
    const count = Math.min(jobs, due) - made;
    if (count > 0) await fillJobs(sql, { jobs: count, ms: 0 });
    await sql`notify hookwork_jobs`;
    made += count;
    await new Promise((wake) => setTimeout(wake, HELD_STEP_MS));
  }
  await secondsToFinish(worker, () => isQueueEmpty(sql));
}
