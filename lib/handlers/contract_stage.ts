/**
 * Whether a deal is to have a contract now: it is there, of the right account, and at the stage.
 * @module
 */
import { PermanentError } from "../base/errors.ts";
import { sleep } from "../base/repeat.ts";
import type { AmoCrm } from "../outside/amocrm/amocrm.ts";
import type { Lead } from "../outside/amocrm/entities.ts";

/** amoCRM counts changes in whole seconds, and its clock may be a second off ours. */
const UNSETTLED_MS = 2000;

/** A stage is told by both. */
type Stage = Pick<Lead, "pipelineId" | "stageId">;

/** Which deal, and where it has to be. */
export interface Wanted {
  readonly leadId: string;
  /** AMOCRM_ACCOUNT, as the job has it. */
  readonly account: string;
  readonly stage: Stage;
}

/** The deal as it is now, or why it gets no contract. Throws PermanentError when it is another account's. */
export async function readAtStage(
  amocrm: AmoCrm,
  { leadId, account, stage }: Wanted,
  signal: AbortSignal,
): Promise<Lead | string> {
  const lead = await readSettled(amocrm, { leadId, stage }, signal);
  if (lead === undefined) return "the deal is not there";
  checkAccount(lead, account);
  if (isAt(lead, stage)) return lead;
  return `the deal is at stage ${lead.stageId} of pipeline ${lead.pipelineId}`;
}

/**
 * Reads the deal, and once more if it has left the stage this very second: should it come back before that second is over,
 * the webhook would have the same bytes as the one before, and be taken for its repeat.
 */
async function readSettled(
  amocrm: AmoCrm,
  { leadId, stage }: Omit<Wanted, "account">,
  signal: AbortSignal,
): Promise<Lead | undefined> {
  const lead = await amocrm.lead(leadId);
  if (lead === undefined || isAt(lead, stage)) return lead;
  const unsettledMs = lead.updatedAt.getTime() + UNSETTLED_MS - Date.now();
  if (unsettledMs <= 0) return lead;
  await sleep(Math.min(unsettledMs, UNSETTLED_MS), signal);
  return await amocrm.lead(leadId);
}

function isAt(lead: Lead, { pipelineId, stageId }: Stage): boolean {
  return lead.pipelineId === pipelineId && lead.stageId === stageId;
}

/** AMOCRM_ACCOUNT may name the account by its subdomain, of which the deal says nothing. */
function checkAccount({ id, accountId }: Lead, account: string): void {
  if (!/^\d+$/.test(account) || account === accountId) return;
  throw new PermanentError(
    `Cannot prepare the contract of deal ${id}: the deal at AMOCRM_URL is of account ${accountId}, and the job of ${account}; ` +
      "mend AMOCRM_URL or AMOCRM_ACCOUNT",
  );
}
