import { assert, assertEquals, assertMatch } from "@std/assert";
import { createHandler } from "../../lib/web/routes.ts";
import { serve, type ServeOptions, type Server, startReceiver } from "../../lib/web/server.ts";
import { testApp } from "../support/app.ts";
import { type TestDatabase, testDatabase } from "../support/database.ts";
import { until } from "../support/until.ts";
import { note, signed, signing, type TestReceiver, testReceiver } from "./support.ts";
import { dial, isRefused, postBlindly, postHead } from "./wire.ts";

const MB = 1_000_000;
const BODY = '{"id":"e1"}';
const delivered = { method: "POST", body: BODY, headers: signed(BODY) };

function listen(receiver: TestReceiver, options: Partial<ServeOptions> = {}) {
  const at = { hostname: "127.0.0.1", port: 0, ...options };
  const server = serve(receiver.app, receiver.handler, at);
  return { ...server, [Symbol.asyncDispose]: () => server.stop() };
}

function hook(port: number): string {
  return `http://127.0.0.1:${port}/hooks/signing`;
}

Deno.test("sixty megabytes, twenty times at once, get 413 and take no memory", async () => {
  await using receiver = testReceiver();
  await using server = listen(receiver);
  const before = Deno.memoryUsage().rss;
  let peak = before;
  const watch = setInterval(() => peak = Math.max(peak, Deno.memoryUsage().rss), 10);
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, index) => {
      const framing = index % 2 ? "declared" : "chunked";
      return postBlindly(server.port, "/hooks/signing", 60 * MB, framing);
    }),
  );
  clearInterval(watch);
  assertEquals(new Set(answers.map((answer) => answer.status)), new Set([413]));
  assert(peak - before < 120 * MB, `${Math.round((peak - before) / MB)} MB more`);
  assertEquals(receiver.stored, []);
});

Deno.test("a client that listens only after 8 MB finds the status and not a reset", async () => {
  await using receiver = testReceiver();
  await using server = listen(receiver);
  for (const framing of ["declared", "chunked"] as const) {
    const statusOf = async (path: string, bytes: number) =>
      (await postBlindly(server.port, path, bytes, framing)).status;
    assertEquals(await statusOf("/hooks/unknown", 8 * MB), 404);
    assertEquals(await statusOf("/hooks/signing", 8 * MB), 413);
    assertEquals(await statusOf("/hooks/signing", 1 * MB), 401);
  }
});

Deno.test("fetch() finds the status of an upload that was refused early", async () => {
  await using receiver = testReceiver();
  await using server = listen(receiver);
  const init = { method: "POST", body: new Uint8Array(8 * MB) };
  const response = await fetch(hook(server.port), init);
  assertEquals(response.status, 413);
  await response.body?.cancel();
});

Deno.test("two hundred senders that stop in the middle are all told 408, and none holds up a stop", async () => {
  await using receiver = testReceiver({ bodyDeadlineMs: 100 });
  await using server = listen(receiver);
  const wires = await Promise.all(Array.from({ length: 200 }, () => dial(server.port)));
  const answers = await Promise.all(wires.map(async (wire) => {
    await wire.write(postHead("/hooks/signing", 10, signed("{}")) + "{}");
    return await wire.read();
  }));
  assertEquals(new Set(answers.map((answer) => answer.status)), new Set([408]));
  for (const { head } of answers) assertMatch(head, /^connection: close$/im);
  assertEquals(receiver.stored, []);
  // Before the senders let go: they are still connected.
  await server.stop();
  for (const wire of wires) wire[Symbol.dispose]();
});

Deno.test("a thousand deliveries of 2 KB go over one connection that nobody closes", async () => {
  await using receiver = testReceiver();
  await using server = listen(receiver);
  const body = JSON.stringify({ id: "e1", text: "x".repeat(2000) });
  const request = postHead("/hooks/signing", body.length, signed(body)) + body;
  using wire = await dial(server.port);
  for (let count = 0; count < 1000; count++) {
    await wire.write(request);
    const { status, head } = await wire.read();
    assertEquals(status, 202);
    assert(!/^connection: close$/im.test(head), `closed after ${count + 1}`);
  }
});

Deno.test("a stop lets the request under way get its answer, and takes no other", async () => {
  const database = Promise.withResolvers<{ id: string; jobs: number }>();
  await using receiver = testReceiver({ store: () => database.promise });
  await using server = listen(receiver);
  const answer = fetch(hook(server.port), delivered);
  await until("the delivery is being stored", () => receiver.stored.length === 1);
  const stopped = server.stop();
  await until("the port is closed", () => isRefused(server.port));
  database.resolve({ id: "7", jobs: 1 });
  const response = await answer;
  assertEquals([response.status, await response.json()], [202, { id: "7", jobs: 1 }]);
  await stopped;
});

Deno.test("a stop that drains takes deliveries until the proxy has turned away, and then closes the port", async () => {
  await using receiver = testReceiver({ isDraining: () => server.isDraining() });
  const server: Server = listen(receiver, { drainMs: 300 });
  const statusOf = async (path: string, init?: RequestInit) => {
    const response = await fetch(`http://127.0.0.1:${server.port}${path}`, init);
    await response.body?.cancel();
    return response.status;
  };
  assertEquals(await statusOf("/health"), 200);
  const stopped = server.stop();
  assertEquals(await statusOf("/health"), 503);
  assertEquals(await statusOf("/hooks/signing", delivered), 202);
  await stopped;
  assert(await isRefused(server.port));
});

Deno.test("a second stop does not wait until it has drained", async () => {
  await using receiver = testReceiver();
  const server = listen(receiver, { drainMs: 60_000 });
  await Promise.all([server.stop(), server.stop()]);
  assert(await isRefused(server.port));
});

Deno.test("a stop waits no longer than the grace for a request that does not end", async () => {
  const database = Promise.withResolvers<{ id: string; jobs: number }>();
  await using receiver = testReceiver({ store: () => database.promise });
  await using server = listen(receiver, { graceMs: 50 });
  const answer = fetch(hook(server.port), delivered);
  await until("the delivery is being stored", () => receiver.stored.length === 1);
  await server.stop();
  database.resolve({ id: "7", jobs: 1 });
  await (await answer).body?.cancel();
});

Deno.test("a second stop does not wait for the grace", async () => {
  const database = Promise.withResolvers<{ id: string; jobs: number }>();
  await using receiver = testReceiver({ store: () => database.promise });
  await using server = listen(receiver, { graceMs: 60_000 });
  const answer = fetch(hook(server.port), delivered);
  await until("the delivery is being stored", () => receiver.stored.length === 1);
  await Promise.all([server.stop(), server.stop()]);
  database.resolve({ id: "7", jobs: 1 });
  await (await answer).body?.cancel();
});

function start(database: TestDatabase) {
  const app = testApp({
    url: database.url,
    env: { PORT: "0" },
    sources: { signing },
    handlers: [note],
  });
  const server: Server = startReceiver(app);
  const stop = async () => {
    await server.stop();
    await app[Symbol.asyncDispose]();
  };
  return { app, port: server.port, [Symbol.asyncDispose]: stop };
}

Deno.test("fifty equal deliveries at once to two receivers make one event, one job and fifty 2xx", async () => {
  await using database = await testDatabase();
  await using one = start(database);
  await using two = start(database);
  const statuses = await Promise.all(Array.from({ length: 50 }, async (_, index) => {
    const response = await fetch(hook((index % 2 ? one : two).port), delivered);
    await response.body?.cancel();
    return response.status;
  }));
  assertEquals(new Set(statuses), new Set([202]));
  const [count] = await database.sql`
    select (select count(*)::int from events) as events, (select count(*)::int from jobs) as jobs
  `;
  assertEquals({ ...count }, { events: 1, jobs: 1 });
});

Deno.test("a redelivery is answered, and logged, with the event that it repeats", async () => {
  await using database = await testDatabase();
  await using receiver = start(database);
  const first = await (await fetch(hook(receiver.port), delivered)).json();
  const second = await (await fetch(hook(receiver.port), delivered)).json();
  assertEquals(second, { duplicate: true, id: first.id });
  const messages = receiver.app.lines.map((line) => line.message);
  assert(messages.includes(`duplicate of event ${first.id}`), messages.join("\n"));
});

Deno.test("a receiver that stops has stored what it was sent, and is ready until then", async () => {
  await using database = await testDatabase();
  const receiver = start(database);
  const ready = await fetch(`http://127.0.0.1:${receiver.port}/ready`);
  assertEquals([ready.status, (await ready.json()).problems], [200, []]);
  const answer = fetch(hook(receiver.port), delivered);
  await until(
    "the delivery is stored",
    async () => (await database.sql`select from events`).length,
  );
  await receiver[Symbol.asyncDispose]();
  assertEquals((await answer).status, 202);
  await (await answer).body?.cancel();
});

Deno.test("/ready asks the database once, however many ask at the same time", async () => {
  await using database = await testDatabase();
  await using receiver = testReceiver({ url: database.url });
  const { app } = receiver;
  let statements = 0;
  const db = {
    ...app.db,
    sql: app.db.sql,
    run(...given: Parameters<typeof app.db.run>) {
      statements++;
      return app.db.run(...given);
    },
  } as typeof app.db;
  const proofs = { proven() {}, refused() {} };
  const intake = { store: () => Promise.reject(), idle: () => Promise.resolve() };
  const handler = createHandler({ app: { ...app, db }, intake, proofs });
  const ask = () =>
    handler(new Request("http://127.0.0.1/ready"), {} as Deno.ServeHandlerInfo<Deno.NetAddr>);
  await ask();
  const forOne = statements;
  await Promise.all(Array.from({ length: 20 }, ask));
  assertEquals(statements, 2 * forOne);
});
