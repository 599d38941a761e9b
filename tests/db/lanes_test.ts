import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { failHeldJobs } from "../../lib/db/held_jobs.ts";
import { enqueue } from "../../lib/db/jobs.ts";
import { enterLane, listProbes, openLane, type Pause, pauseLane } from "../../lib/db/lanes.ts";
import { removeIdleLanes } from "../../lib/db/retention.ts";
import { listLanes, pauseLaneByHand, resumeLane } from "../../lib/db/lanes_view.ts";
import { freshApp, type TestApp, warmUp } from "../support/app.ts";
import { claim, jobOf, settle } from "../support/jobs.ts";

const LANE = "telegram";

const pause = (app: TestApp, parts: Partial<Pause> = {}) =>
  pauseLane(app.db, { name: LANE, seconds: null, reason: "answered 401", ...parts });
const endPauses = (app: TestApp) =>
  app.rows`update lanes set paused_until = now() where since is not null`;
const probe = (app: TestApp, request: Parameters<typeof claim>[1] = {}) =>
  claim(app.db, { lane: LANE, probe: LANE, limit: 5, ...request });
const enter = (app: TestApp, name: string, perSecond: number | null = null) =>
  enterLane(app.db, { name, perSecond, maxWaitSeconds: 2 });
const alerts = (app: TestApp) =>
  app.rows`select topic, pending, last_text from alerts order by topic`;

/** Seconds of the pause that a lane is in. */
async function pauseSeconds(app: TestApp): Promise<number> {
  const [row] = await app.rows`
    select round(extract(epoch from paused_until - now()) / 10)::int * 10 as seconds from lanes where name = ${LANE}`;
  return row!.seconds;
}

Deno.test("a paused lane holds its jobs for every worker and costs them no attempt; others go on (rule 21)", async () => {
  await using app = await freshApp();
  const held = await enqueue(app.db, { kind: "work" });
  await pause(app);
  assertEquals(await claim(app.db, { lane: LANE, limit: 5 }), []);
  assertEquals((await jobOf(app.db, held)).attempts, 0);
  const other = await enqueue(app.db, { kind: "other" });
  const taken = await claim(app.db, { kinds: ["other"], lane: "amocrm", limit: 5 });
  assertEquals(taken.map(({ id }) => id), [other]);
});

Deno.test("a pause over is not a lane open: one job probes, whatever number of workers ask at one instant (rule 21)", async () => {
  await using app = await freshApp({ connection: { max: 10 } });
  await warmUp(app, 10);
  for (let n = 0; n < 30; n++) await enqueue(app.db, { kind: "work" });
  await pause(app);
  await endPauses(app);
  assertEquals(await claim(app.db, { lane: LANE, limit: 5 }), []);
  const claims = await Promise.all(Array.from({ length: 20 }, () => probe(app, { limit: 1 })));
  assertEquals(claims.flat().length, 1);
  assertEquals((await listProbes(app.db)).length, 0);
});

Deno.test("a probe that runs longer than its first lease still is the only one", async () => {
  await using app = await freshApp();
  for (let n = 0; n < 2; n++) await enqueue(app.db, { kind: "work" });
  await pause(app);
  await endPauses(app);
  await probe(app, { limit: 1 });
  await app.rows`update lanes set probe_until = now() - interval '1 second'`;
  assertEquals(await probe(app, { limit: 1 }), []);
});

Deno.test("a probe that ended without a word on the lane lets the next one begin, and names itself as the last", async () => {
  await using app = await freshApp();
  for (let n = 0; n < 2; n++) await enqueue(app.db, { kind: "work" });
  await pause(app);
  await endPauses(app);
  const [job] = await probe(app, { limit: 1 });
  await settle(app.db, [job!]);
  assertEquals((await listProbes(app.db)).map((row) => ({ ...row })), [
    { lane: LANE, last: job!.id },
  ]);
  assertEquals((await probe(app, { limit: 1 })).length, 1);
});

Deno.test("a probe whose worker died does not keep the lane shut for good", async () => {
  await using app = await freshApp();
  for (let n = 0; n < 2; n++) await enqueue(app.db, { kind: "work" });
  await pause(app);
  await endPauses(app);
  await probe(app, { limit: 1 });
  await app.rows`update jobs set status = 'pending', locked_until = null where status = 'running'`;
  assertEquals(await probe(app, { limit: 1 }), [], "its lease is not over");
  await app.rows`update lanes set probe_until = now() - interval '1 second'`;
  assertEquals((await probe(app, { limit: 1 })).length, 1);
});

Deno.test("pauses of a service that names no time grow from a minute to an hour, and begin anew once it has worked", async () => {
  await using app = await freshApp();
  const seconds: number[] = [];
  for (let n = 0; n < 8; n++) {
    await pause(app);
    seconds.push(await pauseSeconds(app));
    await endPauses(app);
  }
  assertEquals(seconds, [60, 120, 240, 480, 960, 1920, 3600, 3600]);
  await openLane(app.db, LANE);
  await pause(app);
  assertEquals(await pauseSeconds(app), 60);
});

Deno.test("a pause that the service asked for is as long as it asked, and answers that come late do not prolong it", async () => {
  await using app = await freshApp();
  await Promise.all(Array.from({ length: 10 }, () => pause(app, { seconds: 340 })));
  assertEquals(await pauseSeconds(app), 340);
  const [lane] = await listLanes(app.db, "all");
  assertEquals(lane!.pauses, 1);
});

Deno.test("a service that asks for longer while it is paused gets it, without counting as refused again", async () => {
  await using app = await freshApp();
  await pause(app, { seconds: 30 });
  await pause(app, { seconds: 600 });
  assertEquals(await pauseSeconds(app), 600);
  await pause(app, { seconds: 40 });
  await pause(app);
  assertEquals(await pauseSeconds(app), 600);
  assertEquals((await listLanes(app.db, "all"))[0]!.pauses, 1);
});

Deno.test("an episode tells a human twice: when it begins and when the first call gets through, however many pauses between", async () => {
  await using app = await freshApp();
  for (let n = 0; n < 5; n++) {
    await pause(app);
    await endPauses(app);
  }
  assertEquals((await alerts(app)).map(({ topic, pending }) => [topic, pending]), [
    ["lane telegram paused", 1],
  ]);
  await Promise.all(Array.from({ length: 5 }, () => openLane(app.db, LANE)));
  const told = await alerts(app);
  assertEquals(told.map(({ topic, pending }) => [topic, pending]), [
    ["lane telegram open", 1],
    ["lane telegram paused", 1],
  ]);
  assertStringIncludes(told[1]!.last_text, "answered 401");
  assertEquals((await listLanes(app.db, "failing")).length, 0);
});

Deno.test("a call that began before the pause and ends during it does not open the lane", async () => {
  await using app = await freshApp();
  await pause(app);
  await openLane(app.db, LANE);
  assertEquals((await listLanes(app.db, "failing")).length, 1);
});

Deno.test("one chat's pause holds that chat only and alerts nobody; a second one's pauses the whole lane", async () => {
  await using app = await freshApp();
  await pause(app, { name: "telegram:1", seconds: 34 });
  assertEquals((await enter(app, "telegram:1")).closed?.name, "telegram:1");
  assertEquals((await enter(app, "telegram:2")).closed, null);
  assertEquals(await alerts(app), []);
  await pause(app, { name: "telegramming:7", seconds: 30 });
  assertEquals((await enter(app, "telegram:2")).closed, null, "another service's");
  await pause(app, { name: "telegram:2", seconds: 30 });
  const { closed } = await enter(app, "telegram:3");
  assertEquals(closed?.name, LANE);
  assert(closed!.seconds > 25 && closed!.seconds <= 30);
  assertEquals((await alerts(app)).map(({ topic }) => topic), ["lane telegram paused"]);
});

Deno.test("a chat that a person has paused does not make another's pause that of all", async () => {
  await using app = await freshApp();
  await pauseLaneByHand(app.db, "telegram:1", "");
  await pause(app, { name: "telegram:2", seconds: 30 });
  assertEquals((await enter(app, "telegram:3")).closed, null);
});

Deno.test("turns of a lane with a rate are so far apart in all processes together, and a late caller takes none", async () => {
  await using app = await freshApp({ connection: { max: 10 } });
  await warmUp(app, 10);
  const turns = await Promise.all(Array.from({ length: 40 }, () => enter(app, "crm", 10)));
  const waits = turns.flatMap(({ waitSeconds }) => waitSeconds ?? []).sort((a, b) => a - b);
  // Two seconds of queue and the one that is called at once, and what passed meanwhile.
  assert(waits.length >= 21 && waits.length < 35, `${waits.length}`);
  const [row] = await app.rows`
    select extract(epoch from next_at - now())::float8 as seconds from lanes where name = 'crm'`;
  assert(row!.seconds <= 2.2, "those who took no turn did not lengthen the queue");
});

Deno.test("a lane that was idle for long does not let a burst through", async () => {
  await using app = await freshApp();
  await enter(app, "crm", 2);
  await app.rows`update lanes set next_at = now() - interval '1 hour'`;
  assertEquals((await enter(app, "crm", 2)).waitSeconds, 0);
  const { waitSeconds } = await enter(app, "crm", 2);
  assert(waitSeconds! > 0.4 && waitSeconds! <= 0.5, `${waitSeconds}`);
});

Deno.test("an operator's pause lasts until it is resumed, and then the lane is open without a probe", async () => {
  await using app = await freshApp();
  const id = await enqueue(app.db, { kind: "work" });
  await pauseLaneByHand(app.db, LANE, "moving house");
  const [lane] = await listLanes(app.db, "failing");
  assertEquals([lane!.paused, lane!.pausedUntil], [true, null]);
  assertEquals((await enter(app, LANE)).closed?.reason, "moving house");
  assertEquals(await probe(app), []);
  assert(await resumeLane(app.db, LANE));
  assertEquals(await resumeLane(app.db, LANE), false);
  assertEquals((await claim(app.db, { lane: LANE })).map((job) => job.id), [id]);
});

Deno.test("resuming what has failed by itself lets one job find out at once", async () => {
  await using app = await freshApp();
  for (let n = 0; n < 2; n++) await enqueue(app.db, { kind: "work" });
  await pause(app, { seconds: 3600 });
  assert(await resumeLane(app.db, LANE));
  assertEquals(await claim(app.db, { lane: LANE, limit: 5 }), []);
  assertEquals((await probe(app, { limit: 1 })).length, 1);
});

Deno.test("the head of an entity in a paused lane holds its followers of other lanes, and a head elsewhere does not wait", async () => {
  await using app = await freshApp();
  await enqueue(app.db, { kind: "work", entity: "lead:1" });
  const follower = await enqueue(app.db, { kind: "other", entity: "lead:1" });
  const free = await enqueue(app.db, { kind: "other", entity: "lead:2" });
  await pause(app);
  const both = async () => [
    ...await claim(app.db, { lane: LANE, limit: 5 }),
    ...await claim(app.db, { kinds: ["other"], limit: 5 }),
  ];
  assertEquals((await both()).map(({ id }) => id), [free]);
  await pauseLaneByHand(app.db, LANE, "");
  await resumeLane(app.db, LANE);
  const [head] = await both();
  await settle(app.db, [head!]);
  assertEquals((await both()).map(({ id }) => id), [follower]);
});

Deno.test("a job that its lane has held for seven days is given up with an alert, and nothing younger is (rule 21)", async () => {
  await using app = await freshApp();
  const old = await enqueue(app.db, { kind: "work" });
  const head = await enqueue(app.db, { kind: "work", entity: "lead:1" });
  const follower = await enqueue(app.db, { kind: "work", entity: "lead:1" });
  await app.rows`update jobs set run_at = now() - interval '8 days'`;
  const young = await enqueue(app.db, { kind: "work" });
  const fail = async () => {
    const kinds = [{ kind: "work", lane: LANE }, { kind: "other", lane: null }];
    const failed = await failHeldJobs(app.db, { kinds, days: 7, limit: 100 });
    return failed.map(({ id }) => id).sort();
  };
  await pause(app);
  assertEquals(await fail(), [], "the lane has not been paused for so long");
  await app.rows`update lanes set since = now() - interval '8 days'`;
  assertEquals(await fail(), [old, head]);
  assertEquals(await fail(), [follower], "its turn came with the failure of the one before");
  assertEquals((await jobOf(app.db, young)).status, "pending");
  const { reason, lastError } = await jobOf(app.db, old);
  assertEquals(reason, "exhausted");
  assertStringIncludes(lastError!, "7 days by the lane telegram: answered 401");
  assertEquals(await app.rows`select pending from alerts where topic = 'work exhausted'`, [{
    pending: 3,
  }]);
  assertEquals(await app.rows`select entity from entities`, []);
});

Deno.test("chats that nobody has written to for a day are forgotten, even those that last asked for a pause; services are not", async () => {
  await using app = await freshApp();
  await enter(app, "telegram:quiet", 1);
  await pause(app, { name: "telegram:asked", seconds: 30 });
  await pauseLaneByHand(app.db, "telegram:by hand", "");
  await pause(app);
  await app.rows`update lanes set next_at = now() - interval '2 days'`;
  await app
    .rows`update lanes set paused_until = now() - interval '2 days' where paused_until < 'infinity'`;
  await enter(app, "telegram:in use", 1);
  const request = { worker: "host/1", limit: 100 };
  assertEquals(await removeIdleLanes(app.db, request), { ours: true, rows: 2 });
  const names = (await listLanes(app.db, "all")).map(({ name }) => name);
  assertEquals(names, ["telegram", "telegram:by hand", "telegram:in use"]);
});
