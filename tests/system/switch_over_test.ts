/** The guide of the switch-over, command by command, beside an old handler: no deal is left out, and none gets two contracts. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { Lead } from "../../demo/fake_amocrm/entities.ts";
import { CONTRACT, NEW, startDestination } from "../demo/fake_amocrm/support.ts";
import { type ContractWorld, startContractWorld } from "../support/contract_world.ts";

const GUIDE = new URL("../../docs/switch-over.md", import.meta.url);
const SHADOW = { SHADOW_KINDS: "prepare_contract" };

/** The commands of each step, as the guide has them. */
const steps = Deno.readTextFileSync(GUIDE).split(/^## (?=\d)/m).slice(1).map((step) =>
  [...step.matchAll(/^hookwork (.*)$/gm)].map(([, line]) =>
    line!.match(/"[^"]*"|\S+/g)!.map((word) => word.replaceAll('"', ""))
  )
);

Deno.test("The guide of the switch-over leads every deal to one contract, by the old handler or by this one", async () => {
  await using old = startDestination();
  // The journal is compared with the times of our jobs, so both clocks are the same.
  const now = () => Math.floor(Date.now() / 1000);
  await using world = await startContractWorld({ amocrm: { now } });
  const { fake, system } = world;
  const folder = await Deno.makeTempDir({ prefix: "hookwork-switch-over-" });
  const oldHook = fake.hooks.subscribe(old.url, ["status_lead", "update_lead"]);
  const earlier = world.deal();
  const began = new Date();
  const receiver = await system.receiver({ env: SHADOW });
  await world.worker(SHADOW);
  let env: Record<string, string> = { ...SHADOW, PORT: `${receiver.port}` };
  let [served, cancelled] = ["", ""];
  /** What stands in the guide for what only the reader knows. */
  const known = (): Record<string, string> => ({
    "https://hooks.example.com/hooks/amocrm": `http://127.0.0.1:${receiver.port}/hooks/amocrm`,
    "sample.pdf": `${folder}/sample.pdf`,
    "1400221": `${oldHook.id}`,
    "4521": served,
    "1234": cancelled,
    "2026-12-01T10:00Z": began.toISOString(),
  });
  const follow = async (commands: string[][]) => {
    const said = [];
    for (const command of commands) {
      const args = command.map((word) => known()[word] ?? word);
      const { code, output } = await system.cli(args, { env });
      assertEquals(code, 0, `hookwork ${args.join(" ")}\n${output}`);
      said.push(output);
    }
    return said.join("\n");
  };
  const [bringUp, subscribe, lookBack, compare, change, close, ...more] = steps;
  assertEquals(more, []);
  try {
    await follow(bringUp!);
    assertStringIncludes(await follow(subscribe!), "foreign");
    const [wayBack] = [...fake.hooks.subscriptions.values()].filter(({ id }) => id !== oldHook.id);
    await follow([["amocrm", "unsubscribe", `${wayBack!.id}`]]);
    assertEquals([...fake.hooks.subscriptions.keys()], [old.url]);
    await follow(subscribe!);
    assertStringIncludes(await follow(lookBack!), `${earlier.id}`);

    const compared = drag(world);
    await world.quiet();
    assertStringIncludes(await follow(compare!), `${compared.id}`);
    assertEquals(await contractsOf(world, [earlier, compared]), [0, 0]);

    const [pause, list, show, cancel, ...goOn] = change!;
    await follow([pause!]);
    const [servedByOld, mine] = [drag(world), drag(world)];
    await fake.hooks.idle();
    served = `${servedByOld.id}`;
    const shown = await follow([list!, show!]);
    // A move comes as two webhooks, and each has made a job.
    for (cancelled of await waitingJobs(world, servedByOld)) {
      assertStringIncludes(shown, `job ${cancelled}`);
      await follow([cancel!]);
    }
    await world.stop();
    env = { PORT: env.PORT! };
    await world.worker();
    await follow(goOn);
    await world.quiet();
    await world.oneOfEach(mine);
    const wayBackList = ["effects", "--kind", "prepare_contract", "--state", "done"];
    assertStringIncludes(await follow([wayBackList]), `${mine.id}`);

    fake.hooks.switches.lost = true;
    const untold = drag(world);
    fake.hooks.switches.lost = false;
    assertStringIncludes(await follow(close!), `${untold.id}`);
    await world.quiet();
    await world.oneOfEach(untold);
    assertEquals(await contractsOf(world, [earlier, compared, servedByOld]), [0, 0, 0]);
    assert(!fake.hooks.subscriptions.has(old.url), "the old handler is still told");
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

function drag(world: ContractWorld): Lead {
  const deal = world.deal({ status_id: NEW });
  return world.fake.crm.changeLead(deal.id, { status_id: CONTRACT });
}

async function contractsOf(world: ContractWorld, deals: Lead[]): Promise<number[]> {
  return await Promise.all(deals.map(async (deal) => {
    const { rows, notes, files } = await world.found(deal);
    return rows.length + notes.length + files.length;
  }));
}

async function waitingJobs({ system }: ContractWorld, { id }: Lead): Promise<string[]> {
  const rows = await system.database.sql<{ id: string }[]>`
    select id from jobs where status = 'pending' and payload ->> 'lead' = ${`${id}`} order by id
  `;
  return rows.map((row) => row.id);
}
