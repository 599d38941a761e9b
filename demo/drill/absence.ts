/**
 * The step about a receiver that was away, and webhooks that nobody sends again.
 * @module
 */
import type { System } from "../system.ts";
import { until } from "../until.ts";
import { dragToContract, jobsOfDeal, oneContract, quiet } from "./contract_look.ts";
import { expect, step } from "./step.ts";

const BUYERS = ["ООО «Пример-Тишина»", "ООО «Пример-Пауза»"];

/** The last word of the receiver, moved back, stands for the hour. By itself the reconciliation comes ten minutes later, since amoCRM's journal may lag. */
export const absentReceiver = step(
  "the receiver killed, and two deals dragged while none is there: the next one notes the gap, and " +
    "`hookwork amocrm reconcile` finds both, once",
  async (system) => {
    await system.receiver.kill();
    const deals = BUYERS.map((buyer) => dragToContract(system, buyer));
    await system.amocrm.hooks.idle();
    await system.database
      .sql`update source_watch set taken_until = taken_until - interval '1 hour'`;
    await system.startReceiver();
    const noted = await until("a gap", () => gapOf(system), (seconds) => seconds !== undefined);
    expect("jobs before", await jobsOf(system, deals), 0);
    expect("missed deals", await reconcile(system), 2);
    for (const deal of deals) await quiet(system, deal);
    const numbers = await Promise.all(deals.map((deal) => oneContract(system, deal)));
    expect("missed deals of a second run", await reconcile(system), 0);
    return `a gap of ${noted} minutes; contracts ${numbers.join(" and ")}`;
  },
);

async function gapOf({ database: { sql } }: System): Promise<number | undefined> {
  const [gap] = await sql<{ minutes: number }[]>`
    select round(extract(epoch from ended_at - began_at) / 60)::int as minutes from gaps where source = 'amocrm'
  `;
  return gap?.minutes;
}

async function jobsOf(system: System, deals: readonly number[]): Promise<number> {
  const jobs = await Promise.all(deals.map((deal) => jobsOfDeal(system, deal)));
  return jobs.flat().length;
}

/** How many deals the command says that the webhooks have missed. */
async function reconcile(system: System): Promise<number> {
  const { code, output } = await system.cli("amocrm", "reconcile", "--from", "1h");
  expect(`the exit code of \`hookwork amocrm reconcile\`, which said ${output}`, code, 0);
  return Number(/the webhooks missed (\d+) deal/.exec(output)?.[1]);
}
