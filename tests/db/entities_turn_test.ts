/** Whose turn it is, where the jobs of one entity are of several kinds, of several days, or suspect. */

import { assertEquals } from "@std/assert";
import { sweepLostJobs } from "../../lib/db/claims.ts";
import { getOldestDueSeconds } from "../../lib/db/health.ts";
import { cancelJob } from "../../lib/db/jobs_bulk.ts";
import { enqueue } from "../../lib/db/jobs.ts";
import type { NewJob } from "../../lib/contract.ts";
import { freshApp, type TestApp } from "../support/app.ts";
import { claim, endLeases, jobOf, settle } from "../support/jobs.ts";
import { until } from "../support/until.ts";

const ENTITY = "lead:1";
const make = async (app: TestApp, job: Partial<NewJob> = {}) =>
  (await enqueue(app.db, { kind: "work", entity: ENTITY, ...job }))!;
const ids = (jobs: readonly { id: string }[]) => jobs.map(({ id }) => id);

Deno.test("a newer job of another kind behind a collapse key breaks nobody's claim, and waits for a worker that knows it (rule 11)", async () => {
  await using app = await freshApp();
  const collapse = { entity: undefined, collapse: ENTITY };
  const older = await make(app, collapse);
  const newer = await make(app, { ...collapse, kind: "other" });
  const stranger = await enqueue(app.db, { kind: "work" });
  assertEquals(ids(await claim(app.db, { limit: 5 })), [stranger]);
  assertEquals(await claim(app.db, { limit: 5 }), []);
  assertEquals(ids(await claim(app.db, { kinds: ["other"] })), [newer]);
  assertEquals((await jobOf(app.db, older)).status, "superseded");
});

Deno.test("a collapsing job that has begun is not made pointless by a newer one: it keeps its turn, and what it left undone is not forgotten (rule 11)", async () => {
  await using app = await freshApp();
  const collapse = { entity: undefined, collapse: ENTITY };
  const begun = await make(app, collapse);
  await settle(app.db, await claim(app.db), { status: "pending", refund: true });
  const [older, newest] = [await make(app, collapse), await make(app, collapse)];
  const again = await claim(app.db, { limit: 5 });
  assertEquals(ids(again), [begun]);
  await settle(app.db, again);
  assertEquals(ids(await claim(app.db, { limit: 5 })), [newest]);
  assertEquals((await jobOf(app.db, older)).status, "superseded");
});

Deno.test("a delayed job behind a collapse key is not made pointless before it is due: it runs when its time comes (rule 11)", async () => {
  await using app = await freshApp();
  const collapse = { entity: undefined, collapse: ENTITY };
  const delayed = await make(app, { ...collapse, delaySeconds: 3600 });
  const newer = await make(app, collapse);
  const first = await claim(app.db);
  assertEquals(ids(first), [newer]);
  await settle(app.db, first);
  await app.rows`update jobs set run_at = now() where id = ${delayed}`;
  await app.rows`update entities set next_at = now()`;
  assertEquals(ids(await claim(app.db)), [delayed]);
});

Deno.test("a job of tomorrow that nobody here knows does not hide today's of its entity (rule 10)", async () => {
  await using app = await freshApp();
  await make(app);
  const tomorrow = await make(app, { kind: "other", delaySeconds: 86_400 });
  const today = await make(app);
  await settle(app.db, await claim(app.db));
  await app.rows`update entities set next_at = next_at - interval '1 hour'`;
  assertEquals(Math.round(await getOldestDueSeconds(app.db, ["other"])), 3600);
  const next = await claim(app.db);
  assertEquals(ids(next), [today]);
  await settle(app.db, next);
  assertEquals(await getOldestDueSeconds(app.db, []), 0, "tomorrow's is not due");
  await make(app, { delaySeconds: 2 * 86_400 });
  await cancelJob(app.db, tomorrow);
  const hours = await app.rows`
    select kind, round(extract(epoch from next_at - now()) / 3600)::int as hours from entities`;
  assertEquals(hours, [{ kind: "work", hours: 48 }]);
});

Deno.test("a job that comes while its entity's row is given on is found, whatever the kind of the one that ends", async () => {
  await using app = await freshApp({ connection: { max: 4 } });
  await make(app, { kind: "other" });
  await make(app, { kind: "other", delaySeconds: 86_400 });
  const running = await claim(app.db, { kinds: ["other"] });
  const locked = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  let news: string | undefined;
  const coming = app.db.sql.begin(async (sql) => {
    const queries = { sql, run: <T>(statement: PromiseLike<T>) => Promise.resolve(statement) };
    // deno-lint-ignore no-explicit-any -- the transaction stands for the pool
    news = await enqueue(queries as any, { kind: "work", entity: ENTITY });
    locked.resolve();
    await gate.promise;
  });
  await locked.promise;
  const settled = settle(app.db, running);
  await until(
    "the ending waits for the row",
    async () =>
      (await app.rows`select from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`).length > 0,
  );
  gate.resolve();
  await Promise.all([coming, settled]);
  assertEquals(ids(await claim(app.db)), [news]);
});

Deno.test("a suspect that steps aside is still suspect: no ordinary claim takes it when its turn comes back", async () => {
  await using app = await freshApp();
  const suspect = await make(app);
  await claim(app.db);
  await endLeases(app.db);
  await sweepLostJobs(app.db, 10);
  const alone = await claim(app.db, { quarantined: true });
  await settle(app.db, alone, { status: "pending", delaySeconds: 3600, stepsAside: true });
  const other = await make(app);
  const next = await claim(app.db, { limit: 5 });
  assertEquals(ids(next), [other]);
  await app.rows`update jobs set run_at = now() where id = ${suspect}`;
  await settle(app.db, next);
  assertEquals(await claim(app.db, { limit: 5 }), []);
  assertEquals(ids(await claim(app.db, { quarantined: true })), [suspect]);
});

Deno.test("entities that a process must not take cost its claim nothing of its limit (rule 8)", async () => {
  await using app = await freshApp();
  const deaf = [
    await make(app, { priority: 0 }),
    await make(app, { priority: 0, entity: "lead:2" }),
  ];
  const aside = await claim(app.db, { limit: 2 });
  await settle(app.db, aside, { status: "pending", stepsAside: true });
  const other = await enqueue(app.db, { kind: "work" });
  assertEquals(ids(await claim(app.db, { limit: 2, except: deaf })), [other]);
  assertEquals(ids(await claim(app.db, { limit: 2 })).sort(), deaf);
});
