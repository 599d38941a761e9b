/** No receiver for an hour: it is killed, deals move meanwhile, another one comes, and what was lost is found without anybody's doing. */

import { assertEquals, assertStringIncludes } from "@std/assert";
import { CONTRACT, NEW } from "../demo/fake_amocrm/support.ts";
import { type ContractWorld, startContractWorld } from "../support/contract_world.ts";
import { until } from "../support/until.ts";

const HALF_AN_HOUR_SECONDS = 1800;
const ENDED = "11 minutes";

Deno.test("While a receiver is dead deals move: the next one notes the gap, and reconciliation finds each of them, once (F135)", async () => {
  // Each change in a second of its own, in the middle of the hour that the receiver will have been away for.
  let second = Math.floor(Date.now() / 1000) - HALF_AN_HOUR_SECONDS;
  await using world = await startContractWorld({ amocrm: { now: () => second++ } });
  const { fake: { crm, hooks }, system } = world;
  const deals = Array.from({ length: 4 }, () => world.deal({ status_id: NEW }));
  const [told, moved, alsoMoved, movedAndBack] = deals.map(({ id }) => id);
  const receiver = await world.receiver();
  await until("it has said that it is there", async () => (await watched(world)).length > 0);
  crm.changeLead(told!, { status_id: CONTRACT });
  await hooks.idle();

  receiver.kill("SIGKILL");
  await receiver.exit;
  const before = hooks.attempts.length;
  for (const id of [moved!, alsoMoved!, movedAndBack!]) crm.changeLead(id, { status_id: CONTRACT });
  crm.changeLead(movedAndBack!, { status_id: NEW });
  await until("amoCRM has given up all of them", () => {
    const lost = hooks.attempts.slice(before);
    return lost.filter(({ number }) => number === 3).length === 8;
  });
  assertEquals(hooks.attempts.slice(before).filter(({ isGood }) => isGood), []);
  await hourPasses(world);

  await using _next = await system.receiver({ env: { PORT: `${receiver.port}` } });
  await until("the gap is noted", async () => (await gaps(world)).length === 1);
  const status = await system.cli(["status"]);
  assertStringIncludes(status.output, "Deliveries of amocrm may have been lost");
  await settle(world);
  await world.worker();
  await until("the gap is closed", async () => (await gaps(world))[0]!.closed, { within: 30 });
  await world.quiet();
  assertEquals(await gaps(world), [{ closed: true, result: "3 deal(s) had been missed" }]);
  assertEquals(await jobs(world), [told, moved, alsoMoved, movedAndBack]);

  await reconcileAgain(world);
  assertEquals(await jobs(world), [told, moved, alsoMoved, movedAndBack]);
  for (const deal of deals.slice(0, 3)) await world.oneOfEach(deal);
  assertEquals(await world.found(deals[3]!), { rows: [], notes: [], files: [] });
});

const watched = ({ system: { database: { sql } } }: ContractWorld) =>
  sql`select from source_watch where source = 'amocrm'`;

async function gaps({ system: { database: { sql } } }: ContractWorld) {
  const rows = await sql<{ closed: boolean; result: string | null }[]>`
    select closed_at is not null as closed, result from gaps where source = 'amocrm'
  `;
  return rows.map((row) => ({ ...row }));
}

/** The deals of the jobs that were made; of a deal's equal ones, which run as one, the first. */
async function jobs({ system: { database: { sql } } }: ContractWorld): Promise<number[]> {
  const rows = await sql<{ lead: number }[]>`
    select (payload ->> 'lead')::int as lead from jobs
    where kind = 'prepare_contract' and status <> 'superseded' order by lead
  `;
  return rows.map(({ lead }) => lead);
}

/** As if all of it had happened an hour earlier; and amoCRM had been asked last just before. */
async function hourPasses({ system: { database: { sql } } }: ContractWorld): Promise<void> {
  await sql`
    update source_watch set since = since - interval '1 hour', taken_until = taken_until - interval '1 hour',
      reconciled_until = taken_until - interval '1 hour'
  `;
}

/** As if the gap had ended a while ago, and the schedule had run before it. */
async function settle({ system: { database: { sql } } }: ContractWorld): Promise<void> {
  await sql`update gaps set ended_at = ended_at - ${ENDED}::interval`;
  await sql`
    insert into schedules (name, last_slot) values ('amocrm.reconcile', '2000-01-01T00:00Z')
    on conflict (name) do update set last_slot = excluded.last_slot
  `;
}

async function reconcileAgain(world: ContractWorld): Promise<void> {
  const id = await world.system.enqueue("amocrm.reconcile", { slot: "again", late: false });
  const { result } = await world.system.jobIs(id, "done", 30);
  assertStringIncludes(result!, "the webhooks missed 0 deal(s)");
}
