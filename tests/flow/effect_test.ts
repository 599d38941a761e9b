import { assert, assertEquals, assertRejects } from "@std/assert";
import { OutcomeUnknownError, PermanentError, TemporaryError } from "../../lib/base/errors.ts";
import { Stop } from "../../lib/base/stop.ts";
import type { Effect } from "../../lib/contract.ts";
import { recordReference } from "../../lib/db/effects.ts";
import { enqueue } from "../../lib/db/jobs.ts";
import { createContext } from "../../lib/flow/context.ts";
import { StoppedError } from "../../lib/flow/execute.ts";
import { freshApp, type TestApp, testApp, type TestAppOptions } from "../support/app.ts";
import { testDatabase } from "../support/database.ts";
import { claim, endLeases, handlerOf } from "../support/jobs.ts";
import { startProxy } from "../support/proxy.ts";
import { until } from "../support/until.ts";

const KEY = "contract:4521";
const handlers = [handlerOf(() => Promise.resolve())];
const fresh = (options: Omit<TestAppOptions, "url"> = {}) => freshApp({ handlers, ...options });

Deno.test("an effect is noted before its call and done after it, and later attempts are given its reference (rule 17)", async () => {
  await using app = await fresh();
  const first = await attempt(app);
  const seen: unknown[] = [];
  const ref = await first.effect(KEY, {
    detail: { sum: 5 },
    async run({ repeat }) {
      seen.push(...await app.rows`select state, ref, detail from effects`, { repeat });
      return "ref-1";
    },
  });
  assertEquals(seen, [{ state: "intended", ref: null, detail: { sum: 5 } }, { repeat: false }]);
  assertEquals(ref, "ref-1");
  assertEquals(await (await attempt(app)).effect(KEY, mustNotRun), "ref-1");
  assertEquals(await notes(app), [{ state: "done", ref: "ref-1", tries: 0 }]);
});

Deno.test("what an earlier call has created is found and not created again (rule 17)", async () => {
  await using app = await fresh();
  await cutOff(app);
  const again = await attempt(app);
  assertEquals(await again.effect(KEY, { ...mustNotRun, find: () => Promise.resolve("r") }), "r");
  assertEquals(await notes(app), [{ state: "done", ref: "r", tries: 0 }]);
});

Deno.test("for a month after a restore what a lost time has created is found and not created again", async () => {
  await using app = await fresh();
  const restoredDaysAgo = (days: number) =>
    app
      .rows`update backups set restored_from = now(), restored_at = now() - make_interval(days => ${days})`;
  const find = () => Promise.resolve("lost");
  await restoredDaysAgo(29);
  assertEquals(await (await attempt(app)).effect(KEY, { ...mustNotRun, find }), "lost");
  assertEquals(await notes(app), [{ state: "done", ref: "lost", tries: 0 }]);
  await restoredDaysAgo(31);
  const run = () => Promise.resolve("new");
  assertEquals(await (await attempt(app)).effect("another", { run, find }), "new");
});

Deno.test("what an earlier call has not created is created, and not called a repeat", async () => {
  await using app = await fresh();
  await cutOff(app);
  const repeats: boolean[] = [];
  await (await attempt(app)).effect(KEY, {
    find: () => Promise.resolve(undefined),
    run: ({ repeat }) => Promise.resolve(`${repeats.push(repeat)}`),
  });
  assertEquals(repeats, [false]);
});

Deno.test("the outside world is not asked before the earlier call must have ended (rule 17)", async () => {
  await using app = await fresh();
  await cutOff(app, { endsInMs: 600 });
  const [{ earliest }] = await app.rows`select ends_at as earliest from effects` as [
    { earliest: Date },
  ];
  let askedAt: Date | undefined;
  await (await attempt(app)).effect(KEY, {
    ...mustNotRun,
    async find() {
      askedAt = (await app.rows`select clock_timestamp() as now`)[0]!.now;
      return "r";
    },
  });
  assert(askedAt! >= earliest, `${askedAt?.toISOString()} is before ${earliest.toISOString()}`);
});

Deno.test("a run that is stopped while it waits for an earlier call ends at once", async () => {
  await using app = await fresh();
  await cutOff(app, { endsInMs: 60_000 });
  const stop = new Stop();
  const waiting = (await attempt(app, stop)).effect(KEY, mustNotRun);
  stop.now(new StoppedError("shutdown"));
  await assertRejects(() => waiting, StoppedError);
});

Deno.test("without find nobody but a person decides, who is told the key and the commands", async () => {
  await using app = await fresh();
  await cutOff(app);
  const again = await attempt(app);
  await assertRejects(
    () => again.effect(KEY, mustNotRun),
    OutcomeUnknownError,
    `hookwork effect ${KEY} --happened`,
  );
});

Deno.test("what is allowed to be repeated is repeated once, marked, and then left to a person", async () => {
  await using app = await fresh();
  await cutOff(app);
  const repeats: boolean[] = [];
  const lost: Effect = {
    onUnknown: "repeat",
    run: ({ repeat }) => {
      repeats.push(repeat);
      return Promise.reject(new OutcomeUnknownError("no answer"));
    },
  };
  await assertRejects(async () => (await attempt(app)).effect(KEY, lost), OutcomeUnknownError);
  await callsEnd(app);
  await assertRejects(async () => (await attempt(app)).effect(KEY, lost), OutcomeUnknownError);
  assertEquals(repeats, [true]);
});

Deno.test("a call that certainly did nothing is simply made again", async () => {
  await using app = await fresh();
  for (const error of [new TemporaryError("503"), new PermanentError("400")]) {
    const failing = { run: () => Promise.reject(error) };
    const thrown = await assertRejects(async () => (await attempt(app)).effect(KEY, failing));
    assertEquals(thrown, error);
    assertEquals(await notes(app), []);
  }
  assertEquals(await (await attempt(app)).effect(KEY, { run: made }), "ref");
});

Deno.test("a call that may have created something fails the job for good only where nobody can look", async () => {
  await using app = await fresh();
  const bug = { run: () => Promise.reject(new TypeError("a bug behind the call")) };
  await assertRejects(async () => (await attempt(app)).effect(KEY, bug), OutcomeUnknownError);
  const looking = { ...bug, find: () => Promise.resolve(undefined) };
  await callsEnd(app);
  await assertRejects(async () => (await attempt(app)).effect(KEY, looking), TemporaryError);
});

Deno.test("a call is told to end at its deadline", async () => {
  await using app = await fresh();
  const hanging: Effect = { deadlineSeconds: 0.05, run: ({ signal }) => untilAborted(signal) };
  await assertRejects(async () => (await attempt(app)).effect(KEY, hanging), OutcomeUnknownError);
});

Deno.test("a claim that has lost its job creates nothing", async () => {
  await using app = await fresh();
  const context = await attempt(app);
  await endLeases(app.db);
  await assertRejects(() => context.effect(KEY, mustNotRun), TemporaryError, "lease is lost");
  assertEquals(await notes(app), []);
});

Deno.test("a process that stood still since its note does not begin what others take for ended", async () => {
  await using app = await fresh();
  const context = await attempt(app);
  await app.db.sql.begin(async (sql) => {
    // Reads pass, the note waits: as long as this lasts, the process might as well be frozen.
    await sql`lock table effects in exclusive mode`;
    const late = context.effect(KEY, { ...mustNotRun, deadlineSeconds: 0.05 });
    const rejected = assertRejects(() => late, TemporaryError, "did not begin");
    await until("the note waits", () => waitsForLock(app));
    await sql`select pg_sleep(0.1)`;
    return { rejected };
  }).then(({ rejected }) => rejected);
  assertEquals(await notes(app), []);
});

Deno.test("a run that is stopped during its call still notes what the call has created", async () => {
  await using app = await fresh();
  const stop = new Stop();
  const context = await attempt(app, stop);
  await context.effect(KEY, {
    run() {
      stop.now(new StoppedError("lease_lost"));
      return Promise.resolve("late");
    },
  });
  assertEquals(await notes(app), [{ state: "done", ref: "late", tries: 0 }]);
});

Deno.test("two runs of one key at the same moment create one thing", async () => {
  await using app = await fresh();
  let made = 0;
  const run = async () => {
    made++;
    await app.rows`select pg_sleep(0.05)`;
    return "only";
  };
  const effect: Effect = { deadlineSeconds: 0.2, run, find: () => Promise.resolve("only") };
  const contexts = [await attempt(app), await attempt(app)];
  const refs = await Promise.all(contexts.map((context) => context.effect(KEY, effect)));
  assertEquals([made, refs], [1, ["only", "only"]]);
});

Deno.test("a reference is noted when the database is back, and not forgotten with the outage", async () => {
  await using database = await testDatabase();
  await using proxy = startProxy(database.url);
  await using app = testApp({ url: proxy.url, handlers });
  const context = await attempt(app);
  const effect = context.effect(KEY, {
    run() {
      proxy.cut();
      return Promise.resolve("ref-1");
    },
  });
  await until(
    "it says that it cannot",
    () => app.lines.some(({ properties }) => properties.ref === "ref-1"),
  );
  proxy.heal();
  assertEquals(await effect, "ref-1");
  assertEquals(await notes(app), [{ state: "done", ref: "ref-1", tries: 0 }]);
});

Deno.test("a reference that cannot be noted before the process ends is in the log, and keeps nothing alive", async () => {
  await using database = await testDatabase();
  await using proxy = startProxy(database.url);
  await using app = testApp({ url: proxy.url, handlers });
  const effect = (await attempt(app)).effect(KEY, {
    run() {
      proxy.cut();
      return Promise.resolve("ref-1");
    },
  });
  const failed = assertRejects(() => effect);
  await until(
    "it says that it cannot",
    () => app.lines.some(({ properties }) => properties.ref === "ref-1"),
  );
  await app.db.close();
  await failed;
});

Deno.test("a reference that comes after another one does not hide the first", async () => {
  await using app = await fresh();
  const context = await attempt(app);
  const ref = await context.effect(KEY, {
    async run() {
      await recordReference(app.db, context.job, { key: KEY, ref: "first", detail: null });
      return "second";
    },
  });
  assertEquals(ref, "first");
  assertEquals(await app.rows`select topic from alerts`, [{ topic: "work created twice" }]);
});

Deno.test("a reference that Postgres text cannot hold is kept as far as it can be", async () => {
  await using app = await fresh();
  const odd = await (await attempt(app)).effect(KEY, { run: () => Promise.resolve("a\0b\ud800") });
  assertEquals(odd, "a\ufffdb\ufffd");
});

Deno.test("no secret is stored in a detail, and one that looks like a number breaks no amount", async () => {
  await using app = await fresh();
  const redacting = { ...app, redact: (text: string) => text.replaceAll(/s3cret|1234/g, "***") };
  const detail = { token: "s3cret", sum: 1234 };
  await (await attempt(redacting)).effect(KEY, { run: made, detail });
  assertEquals(await app.rows`select detail from effects`, [
    { detail: { token: "***", sum: 1234 } },
  ]);
});

Deno.test("in shadow nothing is created, and what would have been is written down", async () => {
  await using app = await fresh({ env: { SHADOW_KINDS: "work" } });
  const context = await attempt(app);
  assert(context.shadow);
  assertEquals(await context.effect(KEY, { ...mustNotRun, detail: { sum: 5 } }), undefined);
  assertEquals(await app.rows`select state, detail from effects`, [
    { state: "planned", detail: { sum: 5 } },
  ]);
});

Deno.test("once the shadow ends what was planned is created", async () => {
  await using shadow = await fresh({ env: { SHADOW_KINDS: "work" } });
  await (await attempt(shadow)).effect(KEY, mustNotRun);
  await using app = testApp({ url: shadow.config.DATABASE_URL, handlers });
  const context = await attempt(app);
  assert(!context.shadow);
  assertEquals(await context.effect(KEY, { run: made }), "ref");
});

const mustNotRun: Effect = { run: () => Promise.reject(new Error("must not run")) };
const made = () => Promise.resolve("ref");

function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason));
  });
}

/** The context of a claim of a new job. */
async function attempt(app: TestApp, stop = new Stop()) {
  await enqueue(app.db, { kind: "work" });
  const [job] = await claim(app.db);
  return createContext(app, handlers[0]!, job!, stop);
}

/** An earlier attempt noted its intention, and was never heard of again. */
async function cutOff(app: TestApp, { endsInMs = -1000 } = {}): Promise<void> {
  await app.rows`
    insert into effects (key, job_id, kind, claim, state, tries, ends_at)
    values (${KEY}, 1, 'work', 1, 'intended', 1, clock_timestamp() + make_interval(secs => ${
    endsInMs / 1000
  }))`;
}

/** Makes the calls that are noted end a second ago. */
async function callsEnd(app: TestApp): Promise<void> {
  await app.rows`update effects set ends_at = now() - interval '1 second'`;
}

function notes(app: TestApp) {
  return app.rows`select state, ref, tries from effects`;
}

async function waitsForLock(app: TestApp): Promise<boolean> {
  const rows = await app.rows`
    select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  return rows.length > 0;
}
