/** The database goes away and comes back: senders hear it at once, and everything goes on by itself. */

import { assert, assertEquals, assertGreater, assertLess } from "@std/assert";
import type { Answer } from "../../demo/site.ts";
import { type Proxy, startProxy } from "../support/proxy.ts";
import { type Receiver, startSystem, type System } from "../support/system.ts";
import { until } from "../support/until.ts";

/** A sender waits for two seconds; the rest of them belongs to the network. */
const PATIENCE_MS = 1900;

Deno.test("after 30 s without a database intake, jobs and LISTEN go on by themselves, and a human is told", async () => {
  await using wired = await startWired();
  const { system, proxy } = wired;
  const { receiver, worker } = await startBoth(system);
  assertEquals((await receiver.post({ id: "before" })).status, 202);
  await until("the worker listens", () => isListening(system));

  proxy.cut();
  const cutAt = performance.now();
  const id = await system.enqueue("wait");
  while (performance.now() - cutAt < 30_000) {
    await assertRefused(receiver);
    await new Promise((wake) => setTimeout(wake, 1000));
  }
  proxy.heal();
  await until("the receiver stores again", receiver.stores, { within: 3 });
  await system.jobIs(id, "done", 10);
  await until("the worker listens again", () => isListening(system));
  const after = await system.enqueue("wait");
  await system.jobIs(after, "done");
  assertEquals(alerts(system, /receiver cannot use the database/).length, 1);
  assertEquals(alerts(system, /worker cannot use the database/).length, 1);
  // If the last to fail was a tick, the end is seen at the next one.
  const ends = () => alerts(system, /can use the database again/).length;
  await until("a human hears of both ends", () => ends() === 2, { within: 45 });
  await assertEndsWell(receiver, worker);
});

Deno.test("started before the database is up, receiver and worker wait for it", async () => {
  await using wired = await startWired();
  const { system, proxy } = wired;
  proxy.cut();
  const { receiver, worker } = await startBoth(system);
  await assertRefused(receiver);
  const ready = await fetch(`http://127.0.0.1:${receiver.port}/ready`);
  assertEquals({ status: ready.status, ready: (await ready.json()).ready }, {
    status: 503,
    ready: false,
  });
  const id = await system.enqueue("wait");
  proxy.heal();
  await until("the receiver stores", receiver.stores, { within: 3 });
  await system.jobIs(id, "done");
  await assertEndsWell(receiver, worker);
});

Deno.test("connections that fall silent hold up no sender, and are given up for new ones", async () => {
  await using wired = await startWired();
  const { system, proxy } = wired;
  const { receiver, worker } = await startBoth(system);
  assertEquals((await receiver.post({ id: "before" })).status, 202);
  proxy.freeze();
  await assertRefused(receiver);
  await assertRefused(receiver);
  await receiver.waitFor(/connections were silent/);
  await assertRefused(receiver);
  proxy.heal();
  await until("the receiver stores again", receiver.stores, { within: 4 });
  await system.jobIs(await system.enqueue("wait"), "done", 20);
  await assertEndsWell(receiver, worker);
});

Deno.test("connections that the server ends under load cost 503s, never a process or half an event", async () => {
  await using system = await startSystem({ LOG_LEVEL: "info" });
  const { sql } = system.database;
  const { receiver, worker } = await startBoth(system);
  const answers: Answer[] = [];
  let stopping = false;
  const senders = Array.from({ length: 8 }, async (_, sender) => {
    for (let count = 0; !stopping; count++) {
      answers.push(await receiver.post({ id: `${sender}-${count}` }));
      await new Promise((wake) => setTimeout(wake, 5));
    }
  });
  const jobs: string[] = [];
  for (let round = 1; round <= 8; round++) {
    jobs.push(await system.enqueue("wait", { seconds: 0.05 }));
    const seen = stored(answers).length;
    await until("forms are stored", () => stored(answers).length >= seen + 10);
    await sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name like 'hookwork-%'
    `;
  }
  stopping = true;
  await Promise.all(senders);
  assertEquals(answers.filter(({ status }) => ![202, 503].includes(status)), []);
  const [rows] = await sql`
    select count(*)::int as events,
      count(*) filter (where (select count(*) from jobs where event_id = events.id) <> 1)::int as broken
    from events
  `;
  assertEquals(rows!.broken, 0);
  assert(rows!.events >= stored(answers).length);
  await until("all jobs are done", async () => {
    // A handler whose own statement was ended is tried again; nobody waits for its pause here.
    await sql`update jobs set run_at = now() where status = 'pending' and run_at > now()`;
    const statuses = await Promise.all(jobs.map(async (id) => (await system.job(id)).status));
    return statuses.every((status) => status === "done");
  });
  await assertEndsWell(receiver, worker);
});

Deno.test("a server that is starting up costs a sender a 503 within two seconds", async () => {
  await using server = refusingServer("57P03", "the database system is starting up");
  await using system = await startSystem({ DATABASE_URL: server.url });
  const { receiver, worker } = await startBoth(system);
  await assertRefused(receiver);
  await worker.waitFor(/cannot be used.*starting up/);
  await assertEndsWell(receiver, worker);
});

interface Wired extends AsyncDisposable {
  system: System;
  proxy: Proxy;
}

/** A system whose processes reach the database through a proxy only; the test itself goes straight. */
async function startWired(): Promise<Wired> {
  await using stack = new AsyncDisposableStack();
  const system = stack.use(await startSystem());
  const proxy = stack.use(startProxy(system.database.url));
  system.env.DATABASE_URL = proxy.url;
  const held = stack.move();
  return { system, proxy, [Symbol.asyncDispose]: () => held.disposeAsync() };
}

async function startBoth(system: System) {
  const [receiver, worker] = await Promise.all([system.receiver(), system.worker()]);
  return { receiver, worker };
}

async function assertRefused(receiver: Receiver): Promise<void> {
  const askedAt = performance.now();
  const { status, retryAfter } = await receiver.post({ id: crypto.randomUUID() });
  assertLess(performance.now() - askedAt, PATIENCE_MS);
  assertEquals(status, 503);
  assertGreater(Number(retryAfter), 0);
}

async function isListening({ database: { sql } }: System): Promise<boolean> {
  const listeners = await sql`
    select from pg_stat_activity where datname = current_database() and query ilike 'listen%'
  `;
  return listeners.length === 1;
}

async function assertEndsWell(...processes: { kill(): void; exit: Promise<number> }[]) {
  processes.forEach((process) => process.kill());
  assertEquals(await Promise.all(processes.map(({ exit }) => exit)), processes.map(() => 0));
}

const stored = (answers: Answer[]) => answers.filter(({ status }) => status === 202);
const alerts = ({ telegram }: System, text: RegExp) =>
  telegram.messages.filter((message) => text.test(message.text));

/** Answers every client with an error of Postgres, as one that cannot take them does. */
function refusingServer(code: string, message: string): AsyncDisposable & { url: string } {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const fields = `SFATAL\0VFATAL\0C${code}\0M${message}\0\0`;
  const answer = new Uint8Array(5 + fields.length);
  answer.set(new TextEncoder().encode(`E\0\0\0\0${fields}`));
  new DataView(answer.buffer).setUint32(1, 4 + fields.length);
  const serving = (async () => {
    for await (const client of listener) {
      await client.read(new Uint8Array(1024));
      await client.write(answer);
      client.close();
    }
  })();
  return {
    url: `postgres://postgres@127.0.0.1:${listener.addr.port}/hookwork`,
    async [Symbol.asyncDispose]() {
      listener.close();
      await serving;
    },
  };
}
