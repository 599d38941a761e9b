/**
 * The worker is killed at every step of prepare_contract, each in turn, and at random: one file, one number, one note.
 * 50 random kills, or as many as CONTRACT_KILLS says; then the figures are printed.
 */

import { assert, assertEquals } from "@std/assert";
import type { Lead } from "../../demo/fake_amocrm/entities.ts";
import { type ContractWorld, startContractWorld } from "../support/contract_world.ts";
import type { Stop } from "../support/gate.ts";
import { seeded } from "../support/seeded.ts";
import { lockTable } from "../support/table_lock.ts";
import { until } from "../support/until.ts";

const SEED = 20_261_130;
const GIVEN = Deno.env.get("CONTRACT_KILLS");
const KILLS = Number(GIVEN ?? 50);
/** Killed and started anew side by side. */
const WORKERS = 2;
/** Jobs that wait or run at any moment, so that every kill hits some. */
const UNFINISHED = 8;
/** A worker lives for this long at most, once it has a job. */
const MAX_LIFE_MS = 2000;
const ENV = { LEASE_SECONDS: "1", WORKER_CONCURRENCY: "4" };

/** Begins a job and waits until its worker stands at a moment; what is returned sets going again what stood, after the kill. */
type Moment = (world: ContractWorld, begin: () => Promise<void>) => Promise<() => unknown>;

const DOCUMENTS = "contract_documents";
const PRINTED = { gate: "printer", method: "POST", path: "/", when: "after" } as const;
const NOTED = { gate: "crm", method: "POST", path: "/notes", when: "after" } as const;

type GateStop = Stop & { readonly gate: "crm" | "printer" };

function request(stop: GateStop, then: "release" | "drop"): Moment {
  return async (world, begin) => {
    const held = world[stop.gate].hold(stop);
    await begin();
    await held.reached;
    return held[then];
  };
}

/** The first statement that writes to a table, once the answer of `after` has come. */
function statement(table: string, after: GateStop | undefined, then: "release" | "cutOff"): Moment {
  return async (world, begin) => {
    const held = after && world[after.gate].hold(after);
    if (held) {
      await begin();
      await held.reached;
    }
    const lock = await lockTable(world.system.database, table);
    if (held) await held.release();
    else await begin();
    await lock.blocked();
    return async () => {
      if (then === "cutOff") await lock.cutOff();
      await lock.release();
    };
  };
}

/** After everything is recorded, and before the job is. */
const beforeTheEnd: Moment = async (world, begin) => {
  const { database } = world.system;
  const noted = world.crm.hold(NOTED);
  await begin();
  await noted.reached;
  const documents = await lockTable(database, DOCUMENTS);
  await noted.release();
  await documents.blocked();
  const jobs = await lockTable(database, "jobs");
  await documents.release();
  const count = () => database.sql`select from contract_documents where crm_note_ref is null`;
  await until("the note is recorded", async () => (await count()).length === 0);
  await jobs.blocked();
  return async () => {
    await jobs.cutOff();
    await jobs.release();
  };
};

const MOMENTS: Readonly<Record<string, Moment>> = {
  "before it reads the deal": request(crm("GET", "/leads/", "before"), "drop"),
  "while it waits for the deal": request(crm("GET", "/leads/", "after"), "drop"),
  "while it reads the company": request(crm("GET", "/companies/", "before"), "drop"),
  "while it reads the items": request(crm("GET", "/elements", "after"), "drop"),
  "when it reserves, in vain": statement(DOCUMENTS, undefined, "cutOff"),
  "when it reserves": statement(DOCUMENTS, undefined, "release"),
  "before the print service has it": request({ ...PRINTED, when: "before" }, "drop"),
  "while it is printed": request(PRINTED, "drop"),
  "when it records the file, in vain": statement(DOCUMENTS, PRINTED, "cutOff"),
  "when it records the file": statement(DOCUMENTS, PRINTED, "release"),
  "when it intends the note, in vain": statement("effects", PRINTED, "cutOff"),
  "when it intends the note": statement("effects", PRINTED, "release"),
  "when it asks for the note, which is never made": request({ ...NOTED, when: "before" }, "drop"),
  "when it asks for the note, which is made late": request(
    { ...NOTED, when: "before" },
    "release",
  ),
  "when the note is made, unheard": request(NOTED, "drop"),
  "when it knows the note, in vain": statement("effects", NOTED, "cutOff"),
  "when it knows the note": statement("effects", NOTED, "release"),
  "when it records the note, in vain": statement(DOCUMENTS, NOTED, "cutOff"),
  "when it records the note": statement(DOCUMENTS, NOTED, "release"),
  "before its job is ended": beforeTheEnd,
};

function crm(method: string, path: string, when: Stop["when"]): GateStop {
  return { gate: "crm", method, path, when };
}

Deno.test("A worker that is killed at any step leaves one file, one number and one note, each step in turn", async (test) => {
  await using world = await startContractWorld({ env: ENV });
  const deals: Lead[] = [];
  for (const [moment, come] of Object.entries(MOMENTS)) {
    await test.step(moment, async () => {
      const deal = world.deal();
      deals.push(deal);
      const worker = await world.worker();
      let job = "";
      const goOn = await come(world, async () => void (job = await world.enqueue(deal)));
      worker.kill("SIGKILL");
      await worker.exit;
      assertEquals((await world.system.job(job)).status, "running");
      await goOn();
      await hasten(world);
      await using _next = await world.worker();
      await world.system.jobIs(job, "done", 30);
      await world.oneOfEach(deal);
    });
  }
  assertEquals(world.fake.counts().created.notes, deals.length);
  await assertOwnNumbers(world, deals.length);
});

/** What waits for a lease or for the end of a call that nobody makes any more need not. */
async function hasten({ system: { database: { sql } } }: ContractWorld): Promise<void> {
  await sql`update effects set ends_at = now() where state = 'intended'`;
  await sql`update jobs set locked_until = now() where status = 'running'`;
}

async function assertOwnNumbers({ system }: ContractWorld, count: number): Promise<void> {
  const [row] = await system.database.sql`
    select count(*)::int as count, count(distinct doc_number)::int as numbers from contract_documents
  `;
  assertEquals({ ...row }, { count, numbers: count });
}

Deno.test(`${KILLS} kills at random leave one file, one number and one note for each deal`, async () => {
  const random = seeded(SEED);
  await using world = await startContractWorld({ env: ENV });
  world.crm.slowness = world.printer.slowness = () => random() * 80;
  const deals: Lead[] = [];
  let kills = 0;
  const killOnAndOn = async () => {
    while (kills < KILLS) {
      kills++;
      await topUp(world, deals);
      await using worker = await world.worker();
      await until("it has a job", () => holdsJob(world, worker.pid), { within: 30 });
      await new Promise((wake) => setTimeout(wake, random() * MAX_LIFE_MS));
      worker.kill("SIGKILL");
      await worker.exit;
    }
  };
  await Promise.all(Array.from({ length: WORKERS }, killOnAndOn));
  await using _last = await world.worker();
  await until("all jobs are done", async () => await nurse(world) === 0, { within: 120 });
  for (const deal of deals) await world.oneOfEach(deal);
  await assertOwnNumbers(world, deals.length);

  const { calls, highestRate, created } = world.fake.counts();
  const looks = world.crm.asked.filter((asked) => /^GET .*\/notes$/.test(asked)).length;
  const figures = {
    kills,
    deals: deals.length,
    calls,
    highestRate,
    looks,
    prints: world.prints.count,
  };
  // deno-lint-ignore no-console -- the figures are what the long run is for
  if (GIVEN) console.log(figures);
  assertEquals(created, { leads: 0, notes: deals.length, tasks: 0 });
  assert(looks > 0, "no kill fell between an intention and its reference");
  assert(world.prints.count > deals.length, "no kill fell between a number and its file");
});

/** Makes jobs until enough are unfinished. */
async function topUp(world: ContractWorld, deals: Lead[]): Promise<void> {
  for (let missing = UNFINISHED - await nurse(world); missing > 0; missing--) {
    const deal = world.deal();
    deals.push(deal);
    await world.enqueue(deal, 1_000_000);
  }
}

/** How many jobs are unfinished. None is to be given up for the workers it lost, nor to wait for its next attempt. */
async function nurse({ system: { database: { sql } } }: ContractWorld): Promise<number> {
  await sql`
    update jobs set lost = 0, run_at = least(run_at, now())
    where status in ('pending', 'running') and (lost > 0 or run_at > now())
  `;
  const rows = await sql`select status, last_error from jobs where status <> 'done'`;
  assertEquals(rows.filter(({ status }) => status === "failed"), []);
  return rows.length;
}

async function holdsJob({ system }: ContractWorld, pid: number): Promise<boolean> {
  return (await system.database.sql`
    select from jobs where locked_by like ${`%/${pid}`} limit 1
  `).length > 0;
}
