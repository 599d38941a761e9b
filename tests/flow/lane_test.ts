import { assert, assertEquals, assertRejects } from "@std/assert";
import {
  LaneHeldError,
  OutcomeUnknownError,
  PermanentError,
  ShadowError,
  TemporaryError,
} from "../../lib/base/errors.ts";
import { listLanes, pauseLaneByHand } from "../../lib/db/lanes_view.ts";
import { createLanes, listHeldKinds } from "../../lib/flow/lane.ts";
import { freshApp, type TestApp } from "../support/app.ts";
import { handlerOf } from "../support/jobs.ts";
import { until } from "../support/until.ts";

const { signal } = new AbortController();

const lanesOf = (app: TestApp, parts: { lane?: string; signal?: AbortSignal } = {}) =>
  createLanes({ app, lane: "telegram", signal, log: () => app.log, ...parts });
const fail = (error: Error) => () => Promise.reject(error);
const failing = async (app: TestApp) =>
  (await listLanes(app.db, "failing")).map(({ name, reason }) => [name, reason]);
const endPauses = (app: TestApp) =>
  app.rows`update lanes set paused_until = now() where since is not null`;

Deno.test("an answer that concerns the lane pauses it, also when the handler swallows the error", async () => {
  await using app = await freshApp();
  const error = new PermanentError("Telegram answered 401", { lane: "telegram" });
  const held = await assertRejects(
    () => lanesOf(app).through("telegram:1", fail(error)),
    LaneHeldError,
    "401",
  );
  assert(held.caused);
  assertEquals(await failing(app), [["telegram", "Telegram answered 401"]]);
});

Deno.test("a service that asks for a year is asked again after a day (rule 13)", async () => {
  await using app = await freshApp();
  const error = new TemporaryError("busy", 31_536_000, { lane: "telegram" });
  await assertRejects(() => lanesOf(app).through("telegram", fail(error)));
  const [row] = await app
    .rows`select extract(epoch from paused_until - now())::float8 as seconds from lanes`;
  assert(row!.seconds > 86_000 && row!.seconds <= 1.2 * 86_400, `${row!.seconds}`);
});

Deno.test("nobody calls while the lane is paused, and who meets the pause has not caused it", async () => {
  await using app = await freshApp();
  const lanes = lanesOf(app);
  const error = new TemporaryError("busy", 340, { lane: "telegram" });
  await assertRejects(() => lanes.through("telegram", fail(error)));
  let calls = 0;
  const call = () => Promise.resolve(++calls);
  for (const lane of ["telegram", "telegram:1"]) {
    const held = await assertRejects(
      () => lanes.through(lane, call),
      LaneHeldError,
      "paused: busy",
    );
    assert(!held.caused);
  }
  assertEquals(calls, 0);
});

Deno.test("a job whose own lane is paused is due at once when it opens; one of another kind looks within a minute", async () => {
  await using app = await freshApp();
  const error = new TemporaryError("busy", 5000, { lane: "telegram" });
  await assertRejects(() => lanesOf(app).through("telegram", fail(error)));
  const delay = async (lane: string) => {
    const call = () => Promise.resolve();
    const held = await assertRejects(
      () => lanesOf(app, { lane }).through("telegram", call),
      LaneHeldError,
    );
    return held.retryAfterSeconds;
  };
  assertEquals([await delay("telegram"), await delay("amocrm")], [1, 60]);
});

Deno.test("the first call that is answered ends the episode, a refusal of what was asked too, and a lost answer does not", async () => {
  await using app = await freshApp();
  const lanes = lanesOf(app);
  const begin = async () => {
    const error = new PermanentError("401", { lane: "telegram" });
    await assertRejects(() => lanes.through("telegram", fail(error)));
    await endPauses(app);
  };
  await begin();
  for (
    const silent of [new TemporaryError("502"), new OutcomeUnknownError("lost"), new Error("?")]
  ) {
    await assertRejects(() => lanes.through("telegram:1", fail(silent)));
    assertEquals((await failing(app)).length, 1, silent.message);
  }
  assertEquals(await lanes.through("telegram:1", () => Promise.resolve("sent")), "sent");
  assertEquals(await failing(app), []);
  await begin();
  await assertRejects(() => lanes.through("telegram:1", fail(new PermanentError("403 blocked"))));
  assertEquals(await failing(app), []);
});

Deno.test("what shadow has refused shows no lane to work: nobody was asked", async () => {
  await using app = await freshApp();
  const lanes = lanesOf(app);
  const error = new PermanentError("401", { lane: "telegram" });
  await assertRejects(() => lanes.through("telegram", fail(error)));
  await endPauses(app);
  await assertRejects(() => lanes.through("telegram", fail(new ShadowError("only reads"))));
  assertEquals((await failing(app)).length, 1);
});

Deno.test("a call that waits for its turn is not made when its lane is paused meanwhile", async () => {
  await using app = await freshApp();
  const lanes = lanesOf(app);
  let calls = 0;
  const call = () => Promise.resolve(++calls);
  await lanes.through("crm", call, { perSecond: 0.6 });
  const waiting = lanes.through("crm", call, { perSecond: 0.6 });
  await until("its turn is taken", async () => {
    const [row] = await app.rows`select next_at > now() + interval '2 seconds' as taken from lanes`;
    return row!.taken;
  });
  await pauseLaneByHand(app.db, "crm", "stop");
  await assertRejects(() => waiting, LaneHeldError, "stop");
  assertEquals(calls, 1);
});

Deno.test("a lane with a name too long for a key stays within the lane around it, and shares nothing with others", async () => {
  await using app = await freshApp();
  const lanes = lanesOf(app);
  const long = (name: string) => `${name}:${"7".repeat(300)}`;
  const busy = (lane: string) => new TemporaryError("busy", 30, { lane });
  const call = () => Promise.resolve("called");
  await assertRejects(() => lanes.through(long("s3"), fail(busy("s3"))));
  await assertRejects(() => lanes.through(long("s3"), call), LaneHeldError, "busy");
  assertEquals(await lanes.through(long("disk"), call), "called");
  const names = (await failing(app)).map(([name]) => name);
  assertEquals(names, ["s3"]);
});

Deno.test("a call that succeeded stays a success when the lane's opening cannot be noted", async () => {
  await using app = await freshApp();
  const error = new PermanentError("401", { lane: "telegram" });
  await assertRejects(() => lanesOf(app).through("telegram", fail(error)));
  await endPauses(app);
  const call = async () => {
    await app.rows`alter table lanes rename to elsewhere`;
    return "sent";
  };
  assertEquals(await lanesOf(app).through("telegram", call), "sent");
  assert(app.lines.some(({ message }) => message.includes("could not be noted yet")));
});

Deno.test("a run that is stopped while it waits for its turn makes no call", async () => {
  await using app = await freshApp();
  const stop = new AbortController();
  const lanes = lanesOf(app, { signal: stop.signal });
  let calls = 0;
  const call = () => Promise.resolve(++calls);
  await lanes.through("crm", call, { perSecond: 0.6 });
  const waiting = lanes.through("crm", call, { perSecond: 0.6 });
  stop.abort(new Error("stopped"));
  await assertRejects(() => waiting, Error, "stopped");
  assertEquals(calls, 1);
});

Deno.test("a lane with a longer queue than a slot may wait for sends the job back uncharged", async () => {
  await using app = await freshApp();
  const call = () => Promise.resolve();
  const enter = () => lanesOf(app).through("crm", call, { perSecond: 0.3 });
  await enter();
  const held = await assertRejects(enter, LaneHeldError, "full");
  assert(!held.caused);
});

Deno.test("a run that has called before waits longer: else many runs would use up all turns by beginning again", async () => {
  await using app = await freshApp();
  const call = () => Promise.resolve();
  const underWay = lanesOf(app);
  await underWay.through("crm", call, { perSecond: 1 });
  await app.rows`update lanes set next_at = now() + interval '2.5 seconds'`;
  await assertRejects(() => lanesOf(app).through("crm", call, { perSecond: 1 }), LaneHeldError);
  await underWay.through("crm", call, { perSecond: 1 });
  await app.rows`update lanes set next_at = now() + interval '6 seconds'`;
  await assertRejects(() => underWay.through("crm", call, { perSecond: 1 }), LaneHeldError, "full");
});

Deno.test("calls that waited while the process stood still are not made all at once", async () => {
  await using app = await freshApp({ connection: { max: 5 } });
  const madeMs: number[] = [];
  const call = () => Promise.resolve(void madeMs.push(performance.now()));
  const calls = Array.from(
    { length: 5 },
    () => lanesOf(app).through("crm", call, { perSecond: 5 }),
  );
  await until("the first call was made, and the others wait", () => madeMs.length > 0);
  const untilMs = performance.now() + 1000;
  while (performance.now() < untilMs);
  await Promise.all(calls);
  const overMs = madeMs.at(-1)! - madeMs[1]!;
  assert(overMs > 300, `four calls within ${overMs} ms`);
});

Deno.test("the reason of a pause holds no secret", async () => {
  await using app = await freshApp();
  const error = new PermanentError("bad token s3cret", { lane: "telegram" });
  await assertRejects(() => lanesOf(app).through("telegram", fail(error)));
  assertEquals(await failing(app), [["telegram", "bad token ***"]]);
});

Deno.test("kinds in a failing lane are known, and those of the others are not among them", async () => {
  const run = () => Promise.resolve();
  const handlers = [
    handlerOf(run, { kind: "message", lane: "telegram" }),
    handlerOf(run, { kind: "deal", lane: "amocrm" }),
    handlerOf(run),
  ];
  await using app = await freshApp({ handlers });
  assertEquals(await listHeldKinds(app), []);
  const error = new PermanentError("401", { lane: "telegram" });
  await assertRejects(() => lanesOf(app).through("telegram", fail(error)));
  assertEquals(await listHeldKinds(app), ["message"]);
});
