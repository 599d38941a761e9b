/**
 * The step about a manager who sees nothing happen, and drags the deal again.
 * @module
 */
import { createHold } from "../hold.ts";
import { STAGE } from "../sample_account.ts";
import { until } from "../until.ts";
import { dragToContract, oneContract, quiet } from "./contract_look.ts";
import { expect, step } from "./step.ts";

const BUYER = "ООО «Пример-Терпение»";
const HIGHER_PRICE = 400_000;

/** The contract is being printed all the while, and no webhook waits for it. */
export const draggedDeal = step(
  "a deal is dragged to the stage of contracts, back and there again, and its price changed twice, while the contract is " +
    "printed: one contract, one number, one note",
  async (system) => {
    const { amocrm: { crm, hooks }, printer } = system;
    const printing = createHold();
    printer.holdPage(BUYER, printing);
    const deal = dragToContract(system, BUYER);
    await until("the contract is being printed", () => printing.isReached, (reached) => reached);
    // What amoCRM tells of two equal moves within one second is the same to the byte, so it is a repeat.
    const movedAt = crm.leads.get(deal)!.updated_at;
    await until("a second is over", () => Date.now() / 1000, (now) => now >= movedAt + 1);
    crm.changeLead(deal, { status_id: STAGE.new });
    crm.changeLead(deal, { price: HIGHER_PRICE });
    crm.changeLead(deal, { status_id: STAGE.contract });
    crm.changeLead(deal, { price: HIGHER_PRICE + 1 });
    await hooks.idle();
    const deliveries = hooks.attempts.filter(({ body }) => body.includes(`${deal}`));
    expect("answers other than 202", deliveries.filter(({ status }) => status !== 202), []);
    printing.release();
    await quiet(system, deal);
    const number = await oneContract(system, deal);
    return `five changes in ${deliveries.length} webhooks, all answered 202 before it was printed; contract ${number}`;
  },
);
