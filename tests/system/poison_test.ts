/** Jobs that take their worker with them: they are given up after three losses, and harm no other job. */

import { assertEquals, assertGreaterOrEqual, assertMatch } from "@std/assert";
import { startSystem, type System } from "../support/system.ts";
import type { TestProcess } from "../support/process.ts";
import { until } from "../support/until.ts";

const SMALL_HEAP = "--v8-flags=--max-old-space-size=64";

const POISONS: Record<string, Record<string, unknown>> = {
  exit: {},
  allocate: {},
  busy: { seconds: 3600 },
};

for (const [kind, payload] of Object.entries(POISONS)) {
  Deno.test(`a job of kind "${kind}", which ends its worker, is given up after three losses with one alert`, async () => {
    await using system = await startSystem({
      LEASE_SECONDS: "1",
      STALL_SECONDS: "2",
      WORKER_CONCURRENCY: "4",
    });
    const poison = await system.enqueue(kind, payload);
    const others = await Promise.all(
      Array.from({ length: 3 }, () => system.enqueue("wait", { seconds: 0.1 })),
    );
    await using _supervisor = supervise(system);
    const { reason, lost, attempts } = await system.jobIs(poison, "failed", 30);
    assertEquals({ reason, lost, attempts }, { reason: "worker_lost", lost: 3, attempts: 3 });
    assertEquals(await system.runs(poison), 3);
    for (const id of others) assertEquals((await system.jobIs(id, "done", 30)).reason, null);
    await until("a human is told", () => alertsAbout(system, `${kind} worker_lost`).length > 0);
    assertEquals(alertsAbout(system, `${kind} worker_lost`).length, 1);
    for (const args of [["job", poison], ["failed"]]) {
      assertMatch((await system.cli(args)).output, /\bworker_lost\b/);
    }
  });
}

Deno.test("a worker whose loop stands still says with which jobs, and ends, so that a supervisor starts it anew", async () => {
  await using system = await startSystem({ STALL_SECONDS: "2" });
  const worker = await system.worker();
  const done = await system.enqueue("wait");
  await system.jobIs(done, "done");
  const beside = await system.enqueue("wait", { seconds: 3600 });
  await system.started(beside);
  const poison = await system.enqueue("busy", { seconds: 3600 });
  assertEquals(await worker.exit, 128 + 9);
  const line = await worker.waitFor(/stands still/);
  assertMatch(line, new RegExp(`running=${beside} wait, ${poison} busy$`));
});

Deno.test("STALL_SECONDS=0 lets a worker stand still, as a debugger's breakpoint makes it do", async () => {
  await using system = await startSystem({ STALL_SECONDS: "0" });
  const worker = await system.worker();
  const busy = await system.enqueue("busy", { seconds: 1 });
  assertEquals((await system.jobIs(busy, "done")).result, `done by ${worker.pid}`);
});

Deno.test("a rejection that nobody awaits ends neither the worker nor a job", async () => {
  await using system = await startSystem();
  const worker = await system.worker();
  const beside = await system.enqueue("wait", { seconds: 1 });
  await system.started(beside);
  const stray = await system.enqueue("stray_rejection");
  await system.jobIs(stray, "done");
  await worker.waitFor(/a rejection was not handled.*nobody awaits this/);
  assertEquals((await system.jobIs(beside, "done")).result, `done by ${worker.pid}`);
});

Deno.test("a worker killed in the middle of a scheduled job holds up neither the next slot nor the job", async () => {
  await using system = await startSystem({ TEST_SCHEDULED_KIND: "wait" });
  const { sql } = system.database;
  await sql`insert into schedules (name, last_slot) values ('test', '2000-01-01T00:00Z')`;
  const worker = await system.worker();
  await until("the slot's job is done", () => doneSlots(system, 1));
  // Time goes by: the slot that was just taken becomes one of long ago, and its worker dies with it.
  worker.kill("SIGKILL");
  await worker.exit;
  await sql`update schedules set last_slot = '2000-01-02T00:00Z'`;
  await sql`
    update jobs set key = 'schedule:test:2000-01-02T00:00Z', status = 'running', finished_at = null,
      locked_by = 'gone', locked_until = now() + interval '1 hour'
  `;
  await system.worker();
  await until("the next slot's job is done", () => doneSlots(system, 1));
  await system.endLeases();
  await system.worker();
  await until("the killed job is done too", () => doneSlots(system, 2));
});

Deno.test("three workers that find the same slot due make one job of it", async () => {
  await using system = await startSystem({ TEST_SCHEDULED_KIND: "wait" });
  const { sql } = system.database;
  await sql`insert into schedules (name, last_slot) values ('test', '2000-01-01T00:00Z')`;
  const workers = await Promise.all([system.worker(), system.worker(), system.worker()]);
  // Stopping a worker ends its tick first, so after this each has looked.
  workers.forEach((worker) => worker.kill("SIGTERM"));
  assertEquals(await Promise.all(workers.map((worker) => worker.exit)), [0, 0, 0]);
  const jobs = await sql`select payload->>'slot' as slot from jobs`;
  assertGreaterOrEqual(jobs.length, 1);
  // A minute may have ended between the workers' looks.
  assertEquals(jobs.length, new Set(jobs.map(({ slot }) => slot)).size);
  const fell = system.lines().filter((line) => line.includes("a schedule fell due"));
  assertEquals(fell.length, jobs.length);
});

async function doneSlots({ database: { sql } }: System, count: number): Promise<boolean> {
  return (await sql`select from jobs where status = 'done' and key like 'schedule:%'`).length ===
    count;
}

function alertsAbout({ telegram }: System, topic: string) {
  return telegram.messages.filter(({ text }) => text.includes(`[${topic},`));
}

/** Starts a worker again whenever it ends; the leases that it held end with it, so that nobody waits for them. */
function supervise(system: System): AsyncDisposable {
  let over = false;
  let worker: TestProcess | undefined;
  const loop = async () => {
    while (!over) {
      worker = await system.worker({ flags: [SMALL_HEAP] });
      await worker.exit;
      await system.endLeases();
    }
  };
  const ended = loop();
  return {
    async [Symbol.asyncDispose]() {
      over = true;
      worker?.kill("SIGKILL");
      await ended;
    },
  };
}
