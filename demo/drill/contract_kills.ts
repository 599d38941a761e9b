/**
 * Steps about workers that are killed while they prepare a contract: at each moment of it there is a deal.
 * @module
 */
import { createHold, type Hold } from "../hold.ts";
import type { Failure, Match } from "../fake_amocrm/faults.ts";
import type { System } from "../system.ts";
import { until } from "../until.ts";
import { dragToContract, findDeal, jobsOfDeal, oneContract, quiet } from "./contract_look.ts";
import { holdRow, type RowHold } from "./row_hold.ts";
import { expect, type Step, step } from "./step.ts";

/** Brings a deal to a moment, and a worker to stand there. What it gives ends what is still under way once that worker is dead. */
type Moment = (system: System, buyer: string) => Promise<RowHold | undefined>;

/** In the order in which a contract goes through them. */
const MOMENTS: Readonly<Record<string, Moment>> = {
  "while it reads the deal": (system, buyer) => inCall(system, buyer, { method: "GET" }),
  "while the contract is printed": (system, buyer) => inPrint(system, buyer),
  "when the file is stored, and that is not written down": (system, buyer) =>
    inPrint(system, buyer, "then at the row"),
  "when the note is made, and nobody has heard of it": (system, buyer) =>
    inCall(system, buyer, NOTE),
  "when the note is known, and not written down beside the contract": (system, buyer) =>
    inCall(system, buyer, NOTE, "then at the row"),
};
const NOTE: Match = { method: "POST", path: "/notes" };

/** One blow for all of them: each worker stands at several moments at once. */
export const killedAmidContracts = step(
  `${
    Object.keys(MOMENTS).length
  } deals, each at another moment of its contract, when both workers are killed`,
  async (system) => {
    const arrivals = Object.values(MOMENTS).map((come, index) => come(system, buyerOf(index)));
    const holds = await Promise.all(arrivals);
    const workers = [...system.workers];
    await Promise.all(workers.map((worker) => worker.kill()));
    system.workers.clear();
    await Promise.all(holds.map((hold) => hold?.cutOff()));
    await Promise.all(workers.map(() => system.startWorker()));
    return `${workers.map(({ name }) => name).join(" and ")} killed, two others started`;
  },
);

/** What became of each deal. */
export const afterTheKill: readonly Step[] = Object.keys(MOMENTS).map((moment, index) =>
  step(`a worker killed ${moment}: one contract, one number, one note`, async (system) => {
    const deal = findDeal(system, buyerOf(index));
    if (deal === undefined) throw new Error("expected a deal: none was dragged");
    await quiet(system, deal);
    const lost = (await jobsOfDeal(system, deal)).map((job) => job.lost);
    expect("workers that its job lost", Math.max(...lost), 1);
    return `contract ${await oneContract(system, deal)}`;
  })
);

function buyerOf(index: number): string {
  return `ООО «Пример-${index + 1}»`;
}

async function inCall(
  system: System,
  buyer: string,
  { method, path = "" }: Match,
  more?: "then at the row",
): Promise<RowHold | undefined> {
  const hold = createHold();
  const deal = dragToContract(system, buyer);
  const failures: Failure[] = [{ hold }];
  system.amocrm.faults.next(failures, { method, path: `/leads/${deal}${path}` });
  return await standAt(system, deal, hold, more);
}

async function inPrint(
  system: System,
  buyer: string,
  more?: "then at the row",
): Promise<RowHold | undefined> {
  const hold = createHold();
  system.printer.holdPage(buyer, hold);
  return await standAt(system, dragToContract(system, buyer), hold, more);
}

async function standAt(
  system: System,
  deal: number,
  hold: Hold,
  more?: "then at the row",
): Promise<RowHold | undefined> {
  await until("a worker stands there", () => hold.isReached, (reached) => reached);
  if (more === undefined) return undefined;
  const row = await holdRow(system, deal);
  hold.release();
  await row.reached();
  return row;
}
