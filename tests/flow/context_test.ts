import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { PermanentError } from "../../lib/base/errors.ts";
import { Stop } from "../../lib/base/stop.ts";
import type { ClientContext } from "../../lib/contract.ts";
import { insertDeliveries } from "../../lib/db/events.ts";
import { enqueue } from "../../lib/db/jobs.ts";
import { createContext } from "../../lib/flow/context.ts";
import { StoppedError } from "../../lib/flow/execute.ts";
import { freshApp, type TestApp } from "../support/app.ts";
import { claim, deliveryRow, handlerOf, jobOf } from "../support/jobs.ts";

const work = handlerOf(() => Promise.resolve());

Deno.test("after a stop every call of the context throws why, so a forgotten handler changes nothing", async () => {
  await using app = await freshApp({ handlers: [work] });
  const { context, stop } = await contextOf(app);
  const { sql } = context;
  await sql`select 1`;
  stop.now(new StoppedError("lease_lost"));
  const calls = [
    () => sql`select 1`,
    () => sql.begin(() => Promise.resolve()),
    () => context.sql`select 1`,
    () => context.event(),
    () => context.enqueue({ kind: "work" }),
    () => context.newestJob("deal:1"),
    () => context.gaps.due("site", { settleSeconds: 0 }),
    () => context.effect("key", { run: () => Promise.resolve("ref") }),
  ];
  for (const call of calls) assertThrows(() => void call(), StoppedError, "lease is lost");
  assertEquals(await app.rows`select count(*)::int from jobs`, [{ count: 1 }]);
});

Deno.test("newestJob() tells when an entity was worked on last, by whatever key, and nothing of others", async () => {
  await using app = await freshApp({ handlers: [work] });
  const { context } = await contextOf(app);
  await enqueue(app.db, { kind: "work", collapse: "deal:1" });
  await app.rows`update jobs set created_at = '2026-01-01T00:00:00Z'`;
  assertEquals(await context.newestJob("deal:1"), new Date("2026-01-01T00:00:00Z"));
  await enqueue(app.db, { kind: "work", entity: "deal:1" });
  assert((await context.newestJob("deal:1"))! > new Date("2026-01-02"));
  assertEquals(await context.newestJob("deal:2"), undefined);
});

Deno.test("a transaction of a handler works, and is undone when the handler throws in it", async () => {
  await using app = await freshApp({ handlers: [work] });
  const { context } = await contextOf(app);
  await context.sql`create table things (name text)`;
  await context.sql.begin(async (sql) => {
    await sql`insert into things values ('kept')`;
  });
  const undone = context.sql.begin(async (sql) => {
    await sql`insert into things values ('undone')`;
    throw new Error("changed my mind");
  });
  await assertRejects(() => undone, Error, "changed my mind");
  assertEquals(await app.rows`select name from things`, [{ name: "kept" }]);
});

Deno.test("a transaction that is under way at a stop is undone, and its next statement throws", async () => {
  await using app = await freshApp({ handlers: [work] });
  const { context, stop } = await contextOf(app);
  await app.db.sql`create table things (name text)`;
  const cut = context.sql.begin(async (sql) => {
    await sql`insert into things values ('half')`;
    stop.now(new StoppedError("lease_lost"));
    await sql`insert into things values ('whole')`;
  });
  await assertRejects(() => cut, StoppedError, "lease is lost");
  assertEquals(await app.rows`select name from things`, []);
});

Deno.test("handlers that hold every connection of theirs do not keep jobs from being settled", async () => {
  await using app = await freshApp({ handlers: [work], connection: { max: 2 } });
  const { context } = await contextOf(app);
  const done = Promise.withResolvers<void>();
  const holding = Array.from({ length: 4 }, () => context.sql.begin(() => done.promise));
  const id = await enqueue(app.db, { kind: "work" });
  assertEquals((await jobOf(app.db, id)).status, "pending");
  done.resolve();
  await Promise.all(holding);
});

Deno.test("a job that a handler makes belongs to the same event", async () => {
  await using app = await freshApp({ handlers: [work] });
  const { context, eventId } = await contextOf(app);
  const id = await context.enqueue({ kind: "work", key: "next" });
  assertEquals((await jobOf(app.db, id)).eventId, eventId);
  assertEquals(await context.enqueue({ kind: "work", key: "next" }), undefined);
});

Deno.test("event() gives the exact bytes, and a removed body is no reason to try again", async () => {
  await using app = await freshApp({ handlers: [work] });
  const { context } = await contextOf(app);
  const event = await context.event();
  assertEquals(event!.body, Uint8Array.of(0, 255));
  await app.db.sql`update events set body = null, body_removed_at = '2026-03-01T12:00Z'`;
  const why = "removed by retention on 2026-03-01";
  await assertRejects(() => context.event(), PermanentError, why);
});

Deno.test("a job without an event has none", async () => {
  await using app = await freshApp({ handlers: [work] });
  await enqueue(app.db, { kind: "work" });
  const [job] = await claim(app.db);
  const context = createContext(app, work, job!, new Stop());
  assertEquals(await context.event(), undefined);
});

Deno.test("each line of a handler's log names its job and attempt", async () => {
  await using app = await freshApp({ handlers: [work] });
  const { context } = await contextOf(app);
  context.log.info("hello", { extra: 1 });
  const { properties } = app.lines.at(-1)!;
  assertEquals(properties, { job: context.job.id, kind: "work", attempt: 1, extra: 1 });
});

Deno.test("a client is given the run's own signal, so that its calls end with the run", async () => {
  let given: AbortSignal | undefined;
  const client = {
    settings: {},
    create(_: unknown, { signal }: { signal: AbortSignal }) {
      given = signal;
      return { ping: () => "pong" };
    },
  };
  const handler = { ...work, clients: { client } };
  await using app = await freshApp({ handlers: [handler] });
  const { context, stop } = await contextOf(app, handler);
  assertEquals((context.clients.client as { ping(): string }).ping(), "pong");
  stop.now(new StoppedError("shutdown"));
  assert(given!.aborted);
});

Deno.test("a client still saves what it has received when the run is stopped, though its handler cannot", async () => {
  const client = {
    settings: {},
    create: (_: unknown, { sql }: Pick<ClientContext, "sql">) => ({ save: () => sql`select 1` }),
  };
  const handler = { ...work, clients: { client } };
  await using app = await freshApp({ handlers: [handler] });
  const { context, stop } = await contextOf(app, handler);
  stop.now(new StoppedError("shutdown"));
  assertThrows(() => void context.sql`select 1`, StoppedError);
  assertEquals(
    (await (context.clients.client as { save(): PromiseLike<unknown[]> }).save()).length,
    1,
  );
});

Deno.test("a kind in shadow knows it, tells its clients, and leads to no job of a kind that is not", async () => {
  let given: boolean | undefined;
  const client = {
    settings: {},
    create: (_: unknown, { shadow }: { shadow: boolean }) => given = shadow,
  };
  const handler = { ...work, clients: { client } };
  await using app = await freshApp({ handlers: [handler], env: { SHADOW_KINDS: "work, other" } });
  const { context } = await contextOf(app, handler);
  assertEquals([context.shadow, given], [true, true]);
  assertEquals(await context.enqueue({ kind: "real" }), undefined);
  assert(await context.enqueue({ kind: "other" }) !== undefined);
  assertEquals(await app.rows`select kind from jobs order by id`, [
    { kind: "work" },
    { kind: "other" },
  ]);
});

async function contextOf(app: TestApp, handler = work) {
  const [stored] = await insertDeliveries(app.db, [deliveryRow({ body: Uint8Array.of(0, 255) })]);
  await enqueue(app.db, { kind: "work" }, stored!.id);
  const [job] = await claim(app.db);
  const stop = new Stop();
  const context = createContext(app, handler, job!, stop);
  return { context, stop, eventId: stored!.id };
}
