/** What happens to a queue besides work: operators, sweeps, and time that passes so that retention has something to take. */

import { sleep } from "../../../lib/base/repeat.ts";
import { retryMany } from "../../../lib/cli/commands/retry_many.ts";
import { sweepLostJobs } from "../../../lib/db/claims.ts";
import type { Db } from "../../../lib/db/db.ts";
import { cancelJob } from "../../../lib/db/jobs_bulk.ts";
import { createRetention } from "../../../lib/flow/retention.ts";
import type { TestApp } from "../app.ts";
import { seeded } from "../seeded.ts";
import type { System } from "../system.ts";

/** What the operators did. */
export interface Done {
  retried: number;
  cancelled: number;
  /** Commands of the real CLI. */
  commands: number;
}

/** When each is done again, on the average. */
const PAUSE_MS = { retry: 1500, cancel: 300, command: 3000, sweep: 500, retention: 700 };

/** The settings with which `age()` makes old what retention takes. */
export const RETENTION = {
  RETAIN_DONE_DAYS: "1",
  RETAIN_FAILED_DAYS: "1",
  RETAIN_BODY_DAYS: "1",
  RETAIN_KEY_DAYS: "2",
};

/** Does all this until stopped. Commands are run by the real CLI, and oftener as what they call. */
export async function operate(
  system: System,
  app: TestApp,
  { kinds, seed, stop }: { kinds: readonly string[]; seed: number; stop: AbortSignal },
): Promise<Done> {
  const done: Done = { retried: 0, cancelled: 0, commands: 0 };
  const { db } = app;
  const kindOf = (random: () => number) => kinds[Math.floor(random() * kinds.length)]!;
  const retention = createRetention(app, "stress", stop);
  const actors: Record<keyof typeof PAUSE_MS, (random: () => number) => Promise<unknown>> = {
    async retry(random) {
      const since = new Date(0);
      const given = { kind: kindOf(random), since, rate: 1000 };
      done.retried += (await retryMany(db, given, () => {})).retried;
    },
    async cancel() {
      const id = await newestPending(db);
      if (id !== undefined && await cancelJob(db, id)) done.cancelled++;
    },
    async command(random) {
      const id = await newestPending(db);
      const args = random() < 0.5 || id === undefined
        ? ["retry", "--kind", kindOf(random), "--since", "1h", "--rate", "1000", "--yes"]
        : ["cancel", id];
      const { code, output } = await system.cli(args);
      // By the time it gets there a job may be running or over, and then it is refused.
      if (code !== 0 && args[0] !== "cancel") throw new Error(`${args.join(" ")}: ${output}`);
      done.commands++;
    },
    sweep: () => sweepLostJobs(db, 500),
    async retention() {
      await age(db);
      await retention.round();
    },
  };
  await Promise.all(
    Object.entries(actors).map(async ([name, act], index) => {
      const random = seeded(seed + index);
      const pauseMs = PAUSE_MS[name as keyof typeof PAUSE_MS];
      while (!stop.aborted) {
        await sleep(random() * 2 * pauseMs, stop);
        if (!stop.aborted) await act(random);
      }
    }),
  );
  return done;
}

/** Makes a part of what is finished, and of the events, a day and a half older; the turn of a worker that died is over. */
async function age({ sql }: Db): Promise<void> {
  await sql`
    with old as materialized (
      select id from jobs where finished_at < now() - interval '2 seconds' and random() < 0.3
      order by id for update skip locked
    )
    update jobs set finished_at = finished_at - interval '36 hours' from old where jobs.id = old.id
  `;
  await sql`
    with old as materialized (
      select id from events where received_at < now() - interval '2 seconds' and random() < 0.3
      order by id for no key update skip locked
    )
    update events set received_at = received_at - interval '36 hours' from old where events.id = old.id
  `;
  await sql`update retention set held_until = now() - interval '1 second' where random() < 0.5`;
}

async function newestPending({ sql }: Db): Promise<string | undefined> {
  const [row] = await sql`select id from jobs where status = 'pending' order by id desc limit 1`;
  return row?.id;
}
