/** Workers that lose a job to another: only the one that holds the lease has a say. */

import { assert, assertEquals } from "@std/assert";
import { installed, nameWith } from "../support/installed.ts";
import { startSystem, type System } from "../support/system.ts";
import { until } from "../support/until.ts";

Deno.test("a worker frozen past its lease changes nothing of the job that another has done meanwhile (rule 6)", async () => {
  await using system = await startSystem({ LEASE_SECONDS: "1" });
  const frozen = await system.worker();
  const id = await system.enqueue("wait", { seconds: 1 });
  await system.started(id);
  frozen.kill("SIGSTOP");
  await system.endLeases();
  const other = await system.worker();
  const { result, claims, lost } = await system.jobIs(id, "done");
  assertEquals({ result, claims, lost }, { result: `done by ${other.pid}`, claims: 2, lost: 1 });
  const before = await rowOf(system, id);
  frozen.kill("SIGCONT");
  await frozen.waitFor(/lease (was|had been) lost/);
  // It is fit for work again, and has settled whatever it wanted to settle before.
  frozen.kill("SIGTERM");
  assertEquals(await frozen.exit, 0);
  assertEquals(await rowOf(system, id), before);
});

Deno.test("a worker whose event loop stood still past its lease has no say about the job that another took over", async () => {
  await using system = await startSystem();
  const blocked = await system.worker({ env: { LEASE_SECONDS: "1" } });
  const id = await system.enqueue("busy", { seconds: 4 });
  await system.started(id);
  await until("the lease is over", () => isLeaseOver(system, id));
  const other = await system.worker();
  await system.started(id, 2);
  await blocked.waitFor(/lease (was|had been) lost/);
  const { result, claims, lost } = await system.jobIs(id, "done");
  assertEquals({ result, claims, lost }, { result: `done by ${other.pid}`, claims: 2, lost: 1 });
});

Deno.test("a job that lasts three times its lease runs once, although a second worker looks for lost jobs", async () => {
  await using system = await startSystem({ LEASE_SECONDS: "1" });
  const first = await system.worker();
  const id = await system.enqueue("wait", { seconds: 3 });
  await system.started(id);
  const { sql } = system.database;
  const { at } = (await sql`select at from runs`)[0]!;
  await until("the first lease would be over", async () => {
    return (await sql`select from jobs where clock_timestamp() > ${at} + interval '1.2 s'`).length;
  });
  // A worker sweeps as soon as it starts.
  await system.worker();
  assertEquals((await system.jobIs(id, "done")).result, `done by ${first.pid}`);
  assertEquals(await system.runs(id), 1);
});

const libfaketime = installed(
  "/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1",
  "/usr/lib/aarch64-linux-gnu/faketime/libfaketime.so.1",
);

Deno.test({
  name: nameWith(
    { libfaketime },
    "workers whose clocks are 10 minutes fast or slow steal no job and start none too early (rule 19)",
  ),
  ignore: !libfaketime,
  async fn() {
    await using system = await startSystem({
      LEASE_SECONDS: "2",
      LD_PRELOAD: libfaketime!,
      FAKETIME_DONT_FAKE_MONOTONIC: "1",
    });
    const { sql } = system.database;
    const fast = await system.worker({ env: { FAKETIME: "+600" } });
    const held = await system.enqueue("wait", { seconds: 4 });
    await system.started(held);
    const slow = await system.worker({ env: { FAKETIME: "-600" } });
    assert(clockOf(fast.lines[0]!) - clockOf(slow.lines[0]!) > 1_190_000, "the clocks are wrong");
    const [later] = await sql`
      insert into jobs (kind, run_at) values ('wait', now() + interval '1500 ms') returning id
    `;
    const { claims, result } = await system.jobIs(held, "done");
    assertEquals({ claims, result }, { claims: 1, result: `done by ${fast.pid}` });
    await system.jobIs(later!.id, "done");
    const [{ late }] = await sql<[{ late: number }]>`
      select extract(epoch from started_at - run_at)::float8 as late from jobs where id = ${
      later!.id
    }
    `;
    assert(late >= 0 && late < 5, `the delayed job began ${late} s after it was due`);
  },
});

async function rowOf({ database: { sql } }: System, id: string) {
  const [row] = await sql`select row_to_json(jobs)::text as row from jobs where id = ${id}`;
  return row!.row;
}

async function isLeaseOver({ database: { sql } }: System, id: string): Promise<boolean> {
  return (await sql`select from jobs where id = ${id} and locked_until < now()`).length > 0;
}

function clockOf(line: string): number {
  return Date.parse(line.split(" ")[0]!);
}
