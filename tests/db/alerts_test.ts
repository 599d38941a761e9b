import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import {
  listAlertProblems,
  markAlertSent,
  MAX_ALERTS_PER_MINUTE,
  postponeAlert,
  raiseAlert,
  takeDueAlerts,
} from "../../lib/db/alerts.ts";
import { insertDeliveries } from "../../lib/db/events.ts";
import { freshApp, type TestApp } from "../support/app.ts";
import { claim, deliveryRow, settle } from "../support/jobs.ts";
import { until } from "../support/until.ts";

Deno.test("three thousand jobs given up make one alert of each kind and reason, with its count", async () => {
  await using app = await freshApp();
  await giveUp(app, "a", "exhausted", 2000);
  await giveUp(app, "a", "permanent", 500);
  await giveUp(app, "b", "exhausted", 500);
  assertEquals(await app.rows`select topic, pending from alerts order by topic`, [
    { topic: "a exhausted", pending: 2000 },
    { topic: "a permanent", pending: 500 },
    { topic: "b exhausted", pending: 500 },
  ]);
});

Deno.test("an alert names the newest job, its error, and the command that shows it", async () => {
  await using app = await freshApp();
  const ids = await giveUp(app, "sync_lead", "permanent", 3, "no such deal");
  const [alert] = await takeDueAlerts(app.db);
  for (const part of ["sync_lead failed: permanent", "no such deal", `hookwork job ${ids[2]}`]) {
    assertStringIncludes(alert!.text, part);
  }
});

Deno.test("an event kept without jobs is told by the statement that stores it, a repeat is not", async () => {
  await using app = await freshApp();
  const [broken, odd, fine] = [
    deliveryRow({ dedupKey: "a", error: "not JSON" }),
    deliveryRow({ dedupKey: "b", error: "odd" }),
    deliveryRow({ dedupKey: "c" }),
  ];
  await insertDeliveries(app.db, [broken, odd, fine]);
  const [first] = await insertDeliveries(app.db, [broken]);
  assertEquals(first!.id, null);
  const [alert, ...others] = await takeDueAlerts(app.db);
  assertEquals([alert!.topic, alert!.pending, others], ["source site not routed", 2, []]);
  assertMatch(alert!.text, /^source site: kept without jobs\nevent \d+: odd\nhookwork event \d+$/);
});

Deno.test("a job that will be tried again, is done or released alerts nobody", async () => {
  await using app = await freshApp();
  await app.db.sql`insert into jobs (kind) select 'work' from generate_series(1, 3)`;
  const [one, two, three] = await claim(app.db, { limit: 3 });
  await settle(app.db, [one!], { status: "pending", error: "boom" });
  await settle(app.db, [two!]);
  await settle(app.db, [three!], { status: "pending", refund: true });
  assertEquals(await app.rows`select from alerts`, []);
});

Deno.test("settlements in parallel lose no count", async () => {
  await using app = await freshApp({ connection: { max: 10 } });
  await app.db.sql`insert into jobs (kind) select 'work' from generate_series(1, 200)`;
  const batches = [];
  for (let n = 0; n < 10; n++) batches.push(await claim(app.db, { limit: 20 }));
  const end = { status: "failed", reason: "timeout" } as const;
  await Promise.all(batches.map((batch) => settle(app.db, batch, end)));
  assertEquals(await app.rows`select pending from alerts`, [{ pending: 200 }]);
});

Deno.test("an alert is taken by one process, however many look at the same instant", async () => {
  await using app = await freshApp({ connection: { max: 10 } });
  await raise(app, "topic");
  assertEquals((await takeAtOnce(app, 5)).length, 1);
});

Deno.test("one minute sees at most ten alerts, of all processes together (rule 15)", async () => {
  await using app = await freshApp({ connection: { max: 10 } });
  for (let n = 0; n < 30; n++) await raise(app, `topic ${n}`);
  assertEquals((await takeAtOnce(app, 5)).length, MAX_ALERTS_PER_MINUTE);
  assertEquals((await takeDueAlerts(app.db)).length, 0);
  await aMinutePasses(app);
  assertEquals((await takeDueAlerts(app.db)).length, MAX_ALERTS_PER_MINUTE);
});

Deno.test("what was not taken this minute comes before what was", async () => {
  await using app = await freshApp();
  for (let n = 0; n < 15; n++) await raise(app, `topic ${String(n).padStart(2, "0")}`);
  const first = await takeDueAlerts(app.db);
  await aMinutePasses(app);
  const second = await takeDueAlerts(app.db);
  const topics = new Set(first.map((alert) => alert.topic));
  assertEquals(second.filter((alert) => !topics.has(alert.topic)).length, 5);
});

Deno.test("a topic is sent once a minute at most; what comes meanwhile is counted for the next", async () => {
  await using app = await freshApp();
  await giveUp(app, "work", "timeout", 2);
  const [first] = await takeDueAlerts(app.db);
  await giveUp(app, "work", "timeout", 3);
  await markAlertSent(app.db, first!);
  assertEquals(await app.rows`select pending from alerts`, [{ pending: 3 }]);
  assertEquals((await takeDueAlerts(app.db)).length, 0);
  await aMinutePasses(app);
  assertEquals((await takeDueAlerts(app.db)).map((alert) => alert.pending), [3]);
});

Deno.test("a crash between taking and sending loses nothing: the alert is due again a minute later (rule 15)", async () => {
  await using app = await freshApp();
  await giveUp(app, "work", "timeout", 5);
  await takeDueAlerts(app.db);
  await aMinutePasses(app);
  assertEquals((await takeDueAlerts(app.db)).map((alert) => alert.pending), [5]);
});

Deno.test("a crash between sending and marking repeats the message once, with its count", async () => {
  await using app = await freshApp();
  await giveUp(app, "work", "timeout", 5);
  await takeDueAlerts(app.db);
  await giveUp(app, "work", "timeout", 1);
  await aMinutePasses(app);
  const [again] = await takeDueAlerts(app.db);
  await markAlertSent(app.db, again!);
  assertEquals([again!.pending, ...await app.rows`select pending from alerts`], [6, {
    pending: 0,
  }]);
});

Deno.test("a slow sender does not take off what another one has sent, nor what came since", async () => {
  await using app = await freshApp();
  await giveUp(app, "work", "permanent", 3);
  const [slow] = await takeDueAlerts(app.db);
  await aMinutePasses(app);
  const [quick] = await takeDueAlerts(app.db);
  await markAlertSent(app.db, quick!);
  await giveUp(app, "work", "permanent", 2);
  await markAlertSent(app.db, slow!);
  await postponeAlert(app.db, { ...slow!, why: "late", seconds: 3600, unconfirmed: 1 });
  assertEquals(await app.rows`select pending, last_error from alerts`, [
    { pending: 2, last_error: null },
  ]);
});

Deno.test("why alerts do not arrive is shown until one does", async () => {
  await using app = await freshApp();
  await raise(app, "topic");
  const [alert] = await takeDueAlerts(app.db);
  await postponeAlert(app.db, {
    tries: alert!.tries,
    topic: "topic",
    why: "chat not found",
    seconds: 60,
    unconfirmed: 0,
  });
  assertEquals(await listAlertProblems(app.db), ["chat not found"]);
  await markAlertSent(app.db, alert!);
  assertEquals(await listAlertProblems(app.db), []);
});

Deno.test("a state that lasts is told once, and again only after its quiet time", async () => {
  await using app = await freshApp();
  await raise(app, "state");
  await raise(app, "state");
  const [alert] = await takeDueAlerts(app.db);
  assertEquals(alert!.pending, 1);
  await markAlertSent(app.db, alert!);
  await raise(app, "state");
  await aMinutePasses(app);
  assertEquals((await takeDueAlerts(app.db)).length, 0, "still quiet");
  await app.db.sql`update alerts set sent_at = now() - interval '61 minutes'`;
  await raise(app, "state");
  assertEquals((await takeDueAlerts(app.db)).length, 1);
});

/** Lets several processes begin to take before any of them can. */
async function takeAtOnce(app: TestApp, processes: number) {
  const taking = await app.db.sql.begin(async (sql) => {
    await sql`select from alerts for update`;
    const taking = Array.from({ length: processes }, () => takeDueAlerts(app.db));
    await until("all have begun", async () => {
      const waiting = await app.rows`
        select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
      return waiting.length === processes;
    });
    return { all: Promise.all(taking) };
  });
  return (await taking.all).flat();
}

async function raise(app: TestApp, topic: string): Promise<void> {
  await raiseAlert(app.db, { topic, text: `text of ${topic}`, quietMinutes: 60 });
}

async function aMinutePasses(app: TestApp): Promise<void> {
  await app.db.sql`update alerts set next_at = next_at - interval '61 seconds',
    tried_at = tried_at - interval '61 seconds'`;
}

async function giveUp(
  app: TestApp,
  kind: string,
  reason: "exhausted" | "permanent" | "timeout",
  count: number,
  error = "boom",
): Promise<string[]> {
  await app.db
    .sql`insert into jobs (kind) select ${kind} from generate_series(1, ${count}::integer)`;
  const jobs = await claim(app.db, { kinds: [kind], limit: count });
  await settle(app.db, jobs, { status: "failed", reason, error });
  return jobs.map((job) => job.id).toSorted((a, b) => Number(a) - Number(b));
}
