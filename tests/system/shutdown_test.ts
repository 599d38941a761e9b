/** Stopping: what is under way is finished or given back, and the exit code says that all is well. */

import { assertEquals, assertLess, assertStringIncludes } from "@std/assert";
import { startSystem } from "../support/system.ts";
import { until } from "../support/until.ts";

Deno.test("a delivery that is being stored when SIGTERM comes is stored and answered", async () => {
  await using system = await startSystem();
  const { sql } = system.database;
  const receiver = await system.receiver();
  const lock = await sql.reserve();
  await lock`begin`;
  await lock`lock table events`;
  const answer = receiver.post({ id: "under way" });
  await until("the delivery waits for the lock", async () => {
    const waiting =
      await sql`select from pg_locks where relation = 'events'::regclass and not granted`;
    return waiting.length > 0;
  });
  receiver.kill("SIGTERM");
  await until("the receiver takes no connections", () => isClosed(receiver.port));
  await lock`commit`;
  lock.release();
  assertEquals((await answer).status, 202);
  assertEquals(await receiver.exit, 0);
  assertEquals((await sql`select from events`).length, 1);
});

Deno.test("a delivery whose body is still coming when SIGTERM comes is told to come again", async () => {
  await using system = await startSystem();
  const receiver = await system.receiver();
  const connection = await Deno.connect({ hostname: "127.0.0.1", port: receiver.port });
  const heard = async () => {
    const buffer = new Uint8Array(4096);
    return new TextDecoder().decode(buffer.subarray(0, await connection.read(buffer) ?? 0));
  };
  const head =
    `POST /hooks/site HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\nexpect: 100-continue\r\n`;
  await connection.write(new TextEncoder().encode(`${head}\r\n`));
  // The receiver says so once it reads the body.
  assertStringIncludes(await heard(), "100 Continue");
  receiver.kill("SIGTERM");
  const answer = await heard();
  assertStringIncludes(answer, "503 Service Unavailable");
  assertStringIncludes(answer, "retry-after: 1");
  connection.close();
  assertEquals(await receiver.exit, 0);
});

Deno.test("a connection that a sender keeps open does not keep a stopped receiver alive", async () => {
  await using system = await startSystem();
  const receiver = await system.receiver();
  assertEquals((await receiver.post({ id: "kept" })).status, 202);
  const stoppedAt = performance.now();
  receiver.kill("SIGTERM");
  assertEquals(await receiver.exit, 0);
  assertLess(performance.now() - stoppedAt, 3000);
});

for (const signal of ["SIGTERM", "SIGINT"] as const) {
  Deno.test(`receiver and worker end with 0 on ${signal}, also a worker in the middle of a job (rule 9)`, async () => {
    await using system = await startSystem();
    const [receiver, worker] = await Promise.all([system.receiver(), system.worker()]);
    const id = await system.enqueue("wait", { seconds: 0.5 });
    await system.started(id);
    receiver.kill(signal);
    worker.kill(signal);
    assertEquals(await Promise.all([receiver.exit, worker.exit]), [0, 0]);
    assertEquals((await system.job(id)).status, "done");
  });
}

Deno.test("a second signal is quick although a handler ignores its own, and the next worker has the job at once (rule 9)", async () => {
  await using system = await startSystem();
  const worker = await system.worker();
  const id = await system.enqueue("ignore_signal", { seconds: 30 });
  await system.started(id);
  worker.kill("SIGTERM");
  await worker.waitFor(/stopping/);
  let code: number | undefined;
  worker.exit.then((ended) => code = ended);
  // Again and again: a signal that comes right after the first counts as its echo.
  await until("the worker ends", () => {
    worker.kill("SIGTERM");
    return code !== undefined;
  }, { within: 5 });
  assertEquals(code, 0);
  const { status, attempts, claims } = await system.job(id);
  assertEquals({ status, attempts, claims }, { status: "pending", attempts: 0, claims: 1 });
  await system.worker();
  await system.started(id, 2);
});

Deno.test("five stops in the middle of a job use up none of its three attempts (rule 9)", async () => {
  await using system = await startSystem({ TEST_GRACE_MS: "50" });
  const id = await system.enqueue("wait", { seconds: 60 }, 3);
  for (let deploy = 1; deploy <= 5; deploy++) {
    const worker = await system.worker();
    await system.started(id, deploy);
    worker.kill("SIGTERM");
    assertEquals(await worker.exit, 0);
  }
  const { status, attempts, claims, lost } = await system.job(id);
  assertEquals({ status, attempts, claims, lost }, {
    status: "pending",
    attempts: 0,
    claims: 5,
    lost: 0,
  });
});

async function isClosed(port: number): Promise<boolean> {
  try {
    (await Deno.connect({ hostname: "127.0.0.1", port })).close();
    return false;
  } catch {
    return true;
  }
}
