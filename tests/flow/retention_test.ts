import { assert, assertEquals } from "@std/assert";
import { insertDeliveries } from "../../lib/db/events.ts";
import { createRetention, nextPace, startRetention } from "../../lib/flow/retention.ts";
import { freshApp, type TestApp, testApp } from "../support/app.ts";
import { testDatabase } from "../support/database.ts";
import { deliveryRow } from "../support/jobs.ts";
import { startProxy } from "../support/proxy.ts";
import { until } from "../support/until.ts";

const running = () => new AbortController().signal;

Deno.test("nextPace() makes batches smaller where they take long, larger where they do not, and rests four times as long", () => {
  const cases: [rows: number, tookMs: number, nextRows: number, pauseMs: number][] = [
    [100, 100, 100, 400],
    [100, 1, 200, 50],
    [800, 20, 1000, 80],
    [1000, 400, 250, 1600],
    [1000, 10_000, 100, 10_000],
    [10, 10_000, 10, 10_000],
    [100, 0, 200, 50],
  ];
  for (const [rows, tookMs, nextRows, pauseMs] of cases) {
    assertEquals(nextPace(rows, tookMs), { rows: nextRows, pauseMs }, `${rows} in ${tookMs} ms`);
  }
});

Deno.test("a round takes away all that is old, each by its own setting, and nothing that is not", async () => {
  await using app = await freshApp({
    env: {
      RETAIN_DONE_DAYS: "1",
      RETAIN_FAILED_DAYS: "3",
      RETAIN_BODY_DAYS: "5",
      RETAIN_KEY_DAYS: "7",
    },
  });
  await app.rows`
    insert into events (source, dedup_key, secret_index, path, headers, body, received_at)
    select 'site', n::text, 0, '/', '{}', '{}', now() - n * interval '1 day' from generate_series(0, 9) as n`;
  await app.rows`
    insert into jobs (kind, status, reason, superseded_by, key, finished_at)
    select kind, kind, case kind when 'failed' then 'timeout' end, case kind when 'superseded' then 1 end,
      case when keyed then kind || n end, now() - n * interval '1 day'
    from generate_series(0, 9) as n, unnest('{done,failed,superseded}'::text[]) as kind,
      unnest('{true,false}'::boolean[]) as keyed`;
  await createRetention(app, "host/1", running()).round();
  const left = async (what: string) =>
    (await app.db.sql.unsafe(`select ${what} as n from jobs`))[0]!.n;
  assertEquals(
    [
      await left("count(*) filter (where status = 'done' and key is null)::int"),
      await left("count(*) filter (where status = 'superseded' and key is null)::int"),
      await left("count(*) filter (where status = 'failed' and key is null)::int"),
      await left("count(*) filter (where key is not null)::int"),
      await left("count(*) filter (where payload_removed_at is null and key is not null)::int"),
    ],
    [1, 1, 3, 3 * 7, 1 + 1 + 3],
  );
  const events = await app.rows`
    select count(*)::int as events, count(body)::int as bodies, count(body_removed_at)::int as removed from events`;
  assertEquals(events, [{ events: 7, bodies: 5, removed: 2 }]);
  assertEquals(
    app.lines.map(({ properties }) => properties.what),
    ["done", "superseded", "failed", "bodies", "events"],
  );
});

Deno.test("what was created outside stays noted when its job and its event are gone, so that nothing is created again (rule 18)", async () => {
  await using app = await freshApp();
  await oldJobs(app, 1);
  await app.rows`
    update jobs set finished_at = now() - interval '1000 days'`;
  await app.rows`
    insert into effects (key, job_id, kind, claim, state, tries, ref, intended_at, done_at)
    select 'contract:7', id, kind, 1, 'done', 0, 'C-7', finished_at, finished_at from jobs`;
  await createRetention(app, "host/1", running()).round();
  assertEquals(await countJobs(app), 0);
  assertEquals(await app.rows`select key, state, ref from effects`, [
    { key: "contract:7", state: "done", ref: "C-7" },
  ]);
});

Deno.test("two workers that clean up at once take turns: everything goes, and only one of them is at it", async () => {
  await using app = await freshApp();
  await oldJobs(app, 3000);
  await Promise.all(
    ["host/1", "host/2"].map((worker) => createRetention(app, worker, running()).round()),
  );
  assertEquals(await app.rows`select from jobs`, []);
  assertEquals(app.lines.map(({ properties }) => properties), [{ what: "done", rows: 3000 }]);
});

Deno.test("a stop comes between two batches: it does not wait for the rest, and a later round goes on there", async () => {
  await using app = await freshApp();
  await oldJobs(app, 3000);
  const stopping = new AbortController();
  const round = createRetention(app, "host/1", stopping.signal).round();
  await until("some are gone", async () => await countJobs(app) < 3000);
  stopping.abort();
  await round;
  const left = await countJobs(app);
  assert(left > 0 && left < 3000, `${left} are left`);
  await createRetention(app, "host/1", running()).round();
  assertEquals(await countJobs(app), 0);
});

Deno.test("a round that is cut off in the middle loses nothing it did, and another worker goes on after the turn", async () => {
  await using database = await testDatabase();
  await using proxy = startProxy(database.url);
  await using cut = testApp({ url: proxy.url });
  await using app = testApp({ url: database.url });
  await oldJobs(app, 3000);
  const retention = startRetention(cut, "host/1");
  await until("some are gone", async () => await countJobs(app) < 3000);
  proxy.cut();
  await until("it notices", () => cut.lines.some(({ level }) => level === "warn"));
  await retention.stop();
  const left = await countJobs(app);
  assert(left > 0 && left < 3000, `${left} are left`);
  await app.rows`update retention set held_until = now() - interval '1 second'`;
  await createRetention(app, "host/2", running()).round();
  assertEquals(await countJobs(app), 0);
});

Deno.test("a batch that fails makes the next one smaller, so that cleaning up ends one day", async () => {
  await using app = await freshApp({ connection: { statementSeconds: 0.3 } });
  await oldJobs(app, 60);
  await app.db.sql.unsafe(`
    create function slowly() returns trigger language plpgsql as $$
      begin perform pg_sleep(0.01); return old; end $$;
    create trigger slowly before delete on jobs for each row execute function slowly()`);
  const retention = createRetention(app, "host/1", running());
  let failures = 0;
  await until("they are gone", async () => {
    await retention.round().catch(() => failures++);
    return await countJobs(app) === 0;
  });
  assert(failures > 0, "the first batch was too large");
});

Deno.test("cleaning up a hundred thousand old events leaves intake as quick as it was (F151)", async () => {
  await using app = await freshApp();
  await app.rows`
    insert into events (source, dedup_key, secret_index, path, headers, body, received_at)
    select 'site', 'old' || n, 0, '/', '{}', decode(repeat('ab', 500), 'hex'), now() - interval '500 days'
    from generate_series(1, 100000) as n`;
  await app.rows`
    insert into jobs (kind, event_id, status, finished_at)
    select 'work', id, 'done', now() - interval '400 days' from events`;
  await app.rows`analyze`;
  const before = await intakeMs(app, () => false);
  const stopping = new AbortController();
  let over = false;
  const round = createRetention(app, "host/1", stopping.signal).round().then(() => over = true);
  const during = await intakeMs(app, () => over);
  stopping.abort();
  await round;
  const [left] = await app.rows`
    select (select count(*)::int from jobs) as jobs, (select count(body)::int from events) as bodies`;
  assert(left!.jobs < 100_000, "it took rows away meanwhile");
  const ms = (value: number) => `${value.toFixed(1)} ms`;
  // deno-lint-ignore no-console -- a ratio on a busy machine is for people to judge, not for a test
  console.log(
    `intake: median ${ms(before.median)} alone, ${ms(during.median)} beside retention, ` +
      `${(during.median / before.median).toFixed(2)} times; slowest 1 in 100 ` +
      `${ms(before.slow)} and ${ms(during.slow)}; ${100_000 - left!.jobs} jobs were deleted`,
  );
});

/** Stores one delivery after the other, four hundred of them; how long they took. */
async function intakeMs(app: TestApp, over: () => boolean) {
  const took: number[] = [];
  while (took.length < 400 && !over()) {
    const startMs = performance.now();
    await insertDeliveries(app.db, [deliveryRow({ dedupKey: crypto.randomUUID() })]);
    took.push(performance.now() - startMs);
  }
  const sorted = took.toSorted((a, b) => a - b);
  const at = (part: number) => sorted[Math.floor((sorted.length - 1) * part)]!;
  return { median: at(0.5), slow: at(0.99) };
}

async function oldJobs(app: TestApp, count: number): Promise<void> {
  await app.rows`
    insert into jobs (kind, status, finished_at)
    select 'work', 'done', now() - interval '31 days' from generate_series(1, ${count}::integer)`;
}

async function countJobs(app: TestApp): Promise<number> {
  const [row] = await app.rows`select count(*)::int as count from jobs`;
  return row!.count;
}
