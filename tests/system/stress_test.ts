/**
 * Eight workers under everything at once: load, freezes, kills, stops, operators, sweeps and retention. Afterwards each job is accounted for.
 * A few seconds of it, or as many as STRESS_SECONDS says; then the figures are printed.
 */

import { assertEquals } from "@std/assert";
import { testApp } from "../support/app.ts";
import { seeded } from "../support/seeded.ts";
import { count, findFaults, missing } from "../support/stress/account.ts";
import { startCrew } from "../support/stress/crew.ts";
import { stressHandlers } from "../support/stress/handlers.ts";
import { keepHistory, readHistory, readRuns, type Step } from "../support/stress/history.ts";
import { makeWork } from "../support/stress/load.ts";
import { drawJob, type Mix, MIXES } from "../support/stress/mixes.ts";
import { operate, RETENTION } from "../support/stress/operators.ts";
import { startSystem, type System } from "../support/system.ts";
import { until } from "../support/until.ts";
import { startWorld, type World } from "../support/world.ts";

const GIVEN = Deno.env.get("STRESS_SECONDS");
const SECONDS = Number(GIVEN ?? 5);
const SEED = 20_260_301;
const WORKERS = 8;
/** Jobs with which a worker died run alone, one after the other. */
const DRAIN_SECONDS = 180;
const LOAD_PAUSE_MS = 60;
const SETTINGS = {
  LEASE_SECONDS: "1",
  WORKER_CONCURRENCY: "4",
  TEST_GRACE_MS: "50",
  LOG_LEVEL: "info",
  ...RETENTION,
};

for (const mix of MIXES) {
  Deno.test(`${SECONDS} s of freezes, kills, stops, operators and retention over ${mix.name} (seed ${SEED}): each job ends once or says why not, without a deadlock, and nothing stays taken`, async () => {
    const random = seeded(SEED);
    await using world = await startWorld(() => ({
      beforeMs: random() * 100,
      afterMs: random() * 50,
    }));
    await using system = await startSystem(SETTINGS);
    const { sql } = system.database;
    await keepHistory(sql);
    await using crew = await startCrew(system, { workers: WORKERS, seed: SEED });
    const { made, ...done } = await strain(system, world, mix);
    crew.leaveAlone();
    await until("nothing is unfinished", () => isFinished(system), { within: DRAIN_SECONDS });
    assertEquals((await crew.stop()).filter((code) => code !== 0), []);

    const [history, runs] = [await readHistory(sql), await readRuns(sql)];
    const figures = { ...crew.count, ...done, ...count(history), things: world.created.size };
    assertEquals(findFaults(history, runs), []);
    assertEquals(missing(history, made), []);
    assertEquals(await wronglyCreated(system, world, history), []);
    assertEquals(await leftOver(system), { running: 0, turns: 0, deadlocks: 0 });
    if (!GIVEN) return;
    // deno-lint-ignore no-console -- the figures are what the long run is for
    console.log(figures);
    const happened = Object.entries(figures).filter(([_, count]) => count > 0).map(([name]) =>
      name
    );
    assertEquals(mix.figures.filter((name) => !happened.includes(name)), [], "never happened");
  });
}

/** Does everything at once for as long as it is asked to. */
async function strain(system: System, world: World, { parts }: Mix) {
  const timer = new AbortController();
  const stop = timer.signal;
  await using app = testApp({
    url: system.database.url,
    env: RETENTION,
    connection: { max: 8 },
  });
  const over = setTimeout(() => timer.abort(), SECONDS * 1000);
  const draw = (random: () => number) => drawJob(parts, { random, things: world.things });
  const kinds = stressHandlers.map(({ kind }) => kind);
  try {
    const [made, done] = await Promise.all([
      makeWork(app.db, { seed: SEED, pauseMs: LOAD_PAUSE_MS, draw, stop }),
      operate(system, app, { kinds, seed: SEED, stop }),
    ]);
    return { made, ...done };
  } finally {
    clearTimeout(over);
    timer.abort();
  }
}

async function isFinished({ database: { sql } }: System): Promise<boolean> {
  return (await sql`select from jobs where finished_at is null limit 1`).length === 0;
}

/** What the outside world has not exactly once although the job is done, or more than once. */
async function wronglyCreated(
  { database: { sql } }: System,
  { created }: World,
  history: readonly Step[],
): Promise<string[]> {
  const refs = new Map((await sql`select key, ref from effects`).map(({ key, ref }) => [key, ref]));
  const urlOf = new Map(
    history.filter(({ is }) => is === "made").map((s) => [s.job, JSON.parse(s.payload).thing]),
  );
  const done = history.filter(({ is, status }) => is === "moved" && status === "done")
    .map(({ job }) => urlOf.get(job)).filter((url) => url !== undefined);
  const wrong = done.filter((url) => {
    const ids = created.get(url.split("/things/")[1]) ?? [];
    return ids.length !== 1 || ids[0] !== refs.get(url);
  });
  const doubled = [...created].filter(([_, ids]) => ids.length > 1).map(([key]) => key);
  return [...wrong, ...doubled];
}

/** Postgres counts its deadlocks for each database; a session's count is there once it has ended. */
async function leftOver({ database: { sql } }: System) {
  const [row] = await sql`
    select (select count(*)::int from jobs where status = 'running' or locked_until is not null) as running,
      (select count(*)::int from entities) as turns,
      (select deadlocks::int from pg_stat_database where datname = current_database()) as deadlocks
  `;
  return { ...row };
}
