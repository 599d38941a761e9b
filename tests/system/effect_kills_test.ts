/**
 * Workers that are killed at random points while they create things in a slow outside world: each thing is there once.
 * 50 kills, or as many as EFFECT_KILLS says; then the figures are printed.
 */

import { assert, assertEquals } from "@std/assert";
import { seeded } from "../support/seeded.ts";
import { startSystem, type System } from "../support/system.ts";
import { until } from "../support/until.ts";
import { startWorld, type World } from "../support/world.ts";

const SEED = 20_260_301;
const GIVEN = Deno.env.get("EFFECT_KILLS");
const KILLS = Number(GIVEN ?? 50);
/** Killed and started anew side by side. */
const WORKERS = 2;
/** Jobs that wait or run at any moment, so that every kill hits some. */
const UNFINISHED = 12;
/** A worker lives for this long at most, once it has a job. */
const MAX_LIFE_MS = 600;
/** Of all creations, those that are answered only after the call's deadline of 0.6 s. */
const ANSWERED_LATE = 0.03;

Deno.test(`${KILLS} kills at random points create nothing twice and lose nothing (rule 17)`, async () => {
  const random = seeded(SEED);
  await using world = await startWorld(() => ({
    beforeMs: random() * 300,
    afterMs: random() < ANSWERED_LATE ? 1000 : random() * 100,
  }));
  await using system = await startSystem({ LEASE_SECONDS: "1", WORKER_CONCURRENCY: "4" });
  const keys: string[] = [];
  let kills = 0;
  const killOnAndOn = async () => {
    while (kills < KILLS) {
      kills++;
      await topUp(system, world, keys);
      await using worker = await system.worker();
      await until("it has a job", () => holdsJob(system, worker.pid), { within: 30 });
      await new Promise((wake) => setTimeout(wake, random() * MAX_LIFE_MS));
      worker.kill("SIGKILL");
      await worker.exit;
    }
  };
  await Promise.all(Array.from({ length: WORKERS }, killOnAndOn));
  await system.worker();
  await until("all jobs are done", async () => await nurse(system) === 0, { within: 30 });

  const { asked, found, missed, created } = world;
  // deno-lint-ignore no-console -- the figures are what the long run is for
  if (GIVEN) console.log({ kills, things: keys.length, asked, found, missed });
  assertEquals(keys.filter((key) => !created.has(key)), [], "lost");
  assertEquals([...created.values()].filter((ids) => ids.length !== 1), [], "created twice");
  assertEquals(
    await noted(system),
    keys.map((key) => [key, "done", created.get(key)![0]]).toSorted(),
  );
  assert(found > 0, "no kill fell between a creation and its note");
  assert(missed > 0, "no kill fell between an intention and its creation");
});

/** Makes jobs until enough are unfinished. */
async function topUp(system: System, world: World, keys: string[]): Promise<void> {
  const missing = UNFINISHED - await nurse(system);
  for (let job = 0; job < missing; job++) {
    const both = [`thing-${keys.length}`, `thing-${keys.length + 1}`];
    keys.push(...both);
    await system.enqueue("create_things", { things: world.things.href, keys: both }, 1_000_000);
  }
}

/**
 * How many jobs are unfinished. No job is to be given up for the workers it lost, nor to wait: it is the effects that are
 * tried, under as many kills as can be.
 */
async function nurse({ database: { sql } }: System): Promise<number> {
  await sql`
    update jobs set lost = 0, run_at = least(run_at, now())
    where status in ('pending', 'running') and (lost > 0 or run_at > now())
  `;
  const [row] = await sql`
    select count(*)::int as unfinished, count(*) filter (where status = 'failed')::int as failed
    from jobs where status <> 'done'
  `;
  assertEquals(row!.failed, 0, "a job was given up");
  return row!.unfinished;
}

async function holdsJob({ database: { sql } }: System, pid: number): Promise<boolean> {
  return (await sql`select from jobs where locked_by = ${`test/${pid}`} limit 1`).length > 0;
}

async function noted({ database: { sql } }: System): Promise<unknown[]> {
  const rows = await sql`select key, state, ref, cardinality(other_refs) as others from effects`;
  assertEquals(rows.filter(({ others }) => others > 0), []);
  return rows.map(({ key, state, ref }) => [key, state, ref]).toSorted();
}
