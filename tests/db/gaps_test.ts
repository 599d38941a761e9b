import { assert, assertEquals } from "@std/assert";
import {
  beat,
  beginGap,
  closeGap,
  closeGapByHand,
  closeGapsWithin,
  endGap,
  getSilenceSeconds,
  listDueGaps,
  listGaps,
  listOpenGaps,
  noteLostTime,
} from "../../lib/db/gaps.ts";
import { insertDeliveries } from "../../lib/db/events.ts";
import { freshApp, type TestApp } from "../support/app.ts";
import { deliveryRow } from "../support/jobs.ts";
import { until } from "../support/until.ts";

const HOUR = 3600;
const down = { graceSeconds: 120, reason: "down" };
const ago = (app: TestApp, seconds: number) =>
  app.rows`update source_watch set taken_until = now() - make_interval(secs => ${seconds})`;

Deno.test("an absence of receivers is one gap of each source, also when several come back at once", async () => {
  await using app = await freshApp();
  assertEquals(await beat(app.db, ["amocrm", "site"], down), []);
  await ago(app, HOUR);
  const waiting = async () =>
    await app.handlerDb.sql`
    select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  // All of them begin before any can end.
  const [found] = await app.db.sql.begin(async (sql) => {
    await sql`select from source_watch for update`;
    const beats = Promise.all([1, 2, 3].map(() => beat(app.db, ["amocrm", "site"], down)));
    await until("three receivers wait", async () => (await waiting()).length === 3);
    return [beats] as const;
  }).then(async ([beats]) => [await beats]);
  assertEquals(found!.flat().toSorted(), ["amocrm", "site"]);
  const gaps = await app.rows`
    select source, round(extract(epoch from ended_at - began_at))::int as seconds, closed_at from gaps order by source`;
  assertEquals(gaps, [
    { source: "amocrm", seconds: HOUR, closed_at: null },
    { source: "site", seconds: HOUR, closed_at: null },
  ]);
});

Deno.test("a restart is no gap, and neither is a source that is new", async () => {
  await using app = await freshApp();
  await beat(app.db, ["site"], down);
  await ago(app, 100);
  assertEquals(await beat(app.db, ["amocrm", "site"], down), []);
  assertEquals(await app.rows`select from gaps`, []);
});

Deno.test("a receiver's word never goes back in time, and a source that was left out for a while has a gap", async () => {
  await using app = await freshApp();
  await beat(app.db, ["amocrm", "site"], down);
  await ago(app, -HOUR);
  await beat(app.db, ["site"], down);
  const [row] = await app
    .rows`select taken_until > now() + interval '50 minutes' as kept from source_watch where source = 'site'`;
  assertEquals(row, { kept: true });
  await ago(app, HOUR);
  await beat(app.db, ["site"], down);
  assertEquals(await beat(app.db, ["amocrm", "site"], down), ["amocrm"]);
});

Deno.test("a gap that lasts is one, begins with the newest event, and is due only when it has ended and settled", async () => {
  await using app = await freshApp();
  await insertDeliveries(app.db, [deliveryRow({ source: "amocrm" })]);
  await app.rows`update events set received_at = now() - interval '2 hours'`;
  await beginGap(app.db, "amocrm", "switched off");
  await beginGap(app.db, "amocrm", "still switched off");
  assertEquals((await listDueGaps(app.db, "amocrm", 0)).length, 0);
  await endGap(app.db, "amocrm");
  await endGap(app.db, "amocrm");
  assertEquals((await listDueGaps(app.db, "amocrm", 600)).length, 0);
  const [gap, ...more] = await listDueGaps(app.db, "amocrm", 0);
  assertEquals([gap?.reason, more.length], ["switched off", 0]);
  assertEquals(Math.round((gap!.to.getTime() - gap!.from.getTime()) / 1000), 2 * HOUR);
});

Deno.test("a gap stays open until it is closed, and what has passed since the last time is due beside it", async () => {
  await using app = await freshApp();
  await beat(app.db, ["amocrm"], down);
  await app.rows`update source_watch set since = now() - interval '1 day'`;
  await ago(app, HOUR);
  await beat(app.db, ["amocrm"], down);
  const due = await listDueGaps(app.db, "amocrm", 0);
  assertEquals(due.map(({ id }) => id), ["1", null]);
  for (const gap of due) await closeGap(app.db, gap, "3 missed");
  const [rest, ...more] = await listDueGaps(app.db, "amocrm", 0);
  assertEquals([rest?.id, more.length], [null, 0]);
  assert(rest!.from >= due[1]!.to, "the time that was reconciled is not due again");
  const [line] = await listGaps(app.db, 10);
  assertEquals([line?.result, line?.closedAt !== null], ["3 missed", true]);
  assertEquals((await listDueGaps(app.db, "site", 0)).length, 0);
});

Deno.test("only gaps that lie wholly within a time are closed by its reconciliation", async () => {
  await using app = await freshApp();
  for (const began of [5, 3]) {
    await app.rows`
      insert into gaps (source, began_at, ended_at, reason)
      values ('amocrm', now() - make_interval(hours => ${began}), now() - make_interval(hours => ${
      began - 1
    }), 'down')`;
  }
  await beginGap(app.db, "amocrm", "lasting");
  const hours = (count: number) => new Date(Date.now() - count * HOUR * 1000);
  const span = { from: hours(4), to: hours(0), result: "none" };
  assertEquals(await closeGapsWithin(app.db, "amocrm", span), 1);
  assertEquals(await closeGapsWithin(app.db, "amocrm", span), 0);
});

Deno.test("silence is counted from the newest event, and before any from the first receiver", async () => {
  await using app = await freshApp();
  assertEquals(await getSilenceSeconds(app.db, "site"), undefined);
  await beat(app.db, ["site"], down);
  await app.rows`update source_watch set since = now() - interval '3 hours'`;
  assertEquals(Math.round((await getSilenceSeconds(app.db, "site"))! / HOUR), 3);
  await insertDeliveries(app.db, [deliveryRow({ source: "site" })]);
  assert((await getSilenceSeconds(app.db, "site"))! < 60);
});

Deno.test("what is open of gaps is told for each source, and a person closes one that has ended, once", async () => {
  await using app = await freshApp();
  await app.rows`
    insert into gaps (source, began_at, ended_at, reason, closed_at) values
      ('site', now() - interval '9 hours', now() - interval '8 hours', 'long ago', now()),
      ('site', now() - interval '2 hours', now() - interval '1 hour', 'down', null),
      ('site', now() - interval '30 minutes', now() - interval '10 minutes', 'down again', null),
      ('amocrm', now() - interval '3 hours', null, 'switched off', null)`;
  const seen = async () =>
    (await listOpenGaps(app.db)).map((open) => ({
      ...open,
      seconds: Math.round(open.seconds / 60) * 60,
      ageSeconds: Math.round(open.ageSeconds / 60) * 60,
    }));
  const amocrm = { source: "amocrm", count: 1, lasting: true, reason: "switched off" };
  const site = { source: "site", lasting: false, reason: "down again" };
  assertEquals(await seen(), [
    { ...amocrm, seconds: 3 * HOUR, ageSeconds: 3 * HOUR },
    { ...site, count: 2, seconds: HOUR + 1200, ageSeconds: 2 * HOUR },
  ]);
  const closed = await closeGapByHand(app.db, "2", "nothing was lost");
  assertEquals([closed?.source, closed?.result], ["site", "nothing was lost"]);
  assertEquals(await closeGapByHand(app.db, "2", "something was"), undefined);
  assertEquals(await closeGapByHand(app.db, "4", "it still lasts"), undefined);
  assertEquals(await seen(), [
    { ...amocrm, seconds: 3 * HOUR, ageSeconds: 3 * HOUR },
    { ...site, count: 1, seconds: 1200, ageSeconds: 1800 },
  ]);
});

Deno.test("a time that is lost is one gap of each source, and the receiver that comes next finds no second one", async () => {
  await using app = await freshApp();
  await beat(app.db, ["amocrm", "site"], down);
  await app
    .rows`update source_watch set taken_until = now() - interval '2 hours' where source = 'site'`;
  await noteLostTime(app.db, new Date(Date.now() - HOUR * 1000), "restored");
  const gaps = await app.rows`
    select source, reason, closed_at, round(extract(epoch from ended_at - began_at) / 3600)::int as hours
    from gaps order by source`;
  assertEquals(gaps, [
    { source: "amocrm", reason: "restored", closed_at: null, hours: 1 },
    { source: "site", reason: "restored", closed_at: null, hours: 2 },
  ]);
  assertEquals(await beat(app.db, ["amocrm", "site"], down), []);
  assertEquals((await listDueGaps(app.db, "amocrm", 0)).map(({ reason }) => reason)[0], "restored");
});
