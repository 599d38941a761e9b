/**
 * A contract that cannot be made until a person does something: the deal's manager is told by a task.
 * @module
 */
import { describeError, PermanentError } from "../base/errors.ts";
import type { Effect } from "../contract.ts";
import { ContractDataError } from "../contracts/data.ts";
import { sha256 } from "../contracts/storage.ts";
import type { AmoCrm } from "../outside/amocrm/amocrm.ts";
import type { Lead } from "../outside/amocrm/entities.ts";
import { brokenText, fieldLabel, markOf, missingText } from "./contract_words.ts";

const DUE_MS = 86_400_000;
const HASH_DIGITS = 12;

/** What telling needs of a job. */
export interface Teller {
  readonly clients: { readonly amocrm: AmoCrm };
  effect(key: string, effect: Effect): Promise<string | undefined>;
}

/**
 * Tells the manager, once for each thing that keeps the contract from being made, and gives the error that tells the operator.
 * Throws what creating a task throws, unless that is permanent: the reason must not be lost over a task.
 */
export async function refusalOf(
  error: PermanentError,
  lead: Lead,
  teller: Teller,
): Promise<PermanentError> {
  const reason = reasonOf(error);
  const message = `Cannot prepare the contract of deal ${lead.id}: ${reason}`;
  try {
    await tell(error, reason, lead, teller);
    return new PermanentError(message, { cause: error });
  } catch (failure) {
    if (!(failure instanceof PermanentError)) throw failure;
    return new PermanentError(
      `${message}; and its manager could not be told: ${describeError(failure)}`,
    );
  }
}

function reasonOf(error: PermanentError): string {
  if (!(error instanceof ContractDataError)) return error.message;
  const list = error.problems.map(({ field, problem }) =>
    `${field} (${fieldLabel(field)}) ${problem}`
  );
  return `${list.join("; ")}; fill it in, then move the deal to the stage again or retry the job`;
}

async function tell(
  error: PermanentError,
  reason: string,
  lead: Lead,
  { clients: { amocrm }, effect }: Teller,
): Promise<void> {
  const hash = (await sha256(new TextEncoder().encode(reason))).slice(0, HASH_DIGITS);
  const key = `contract-refusal:${lead.accountId}:${lead.id}:${hash}`;
  const mark = markOf(key);
  const text = error instanceof ContractDataError
    ? missingText(error.problems, mark)
    : brokenText(reason, mark);
  const task = { leadId: lead.id, text, responsibleUserId: lead.responsibleUserId };
  await effect(key, {
    find: ({ signal }) => amocrm.findTask(lead.id, mark, signal),
    run: ({ signal }) => amocrm.addTask({ ...task, dueAt: new Date(Date.now() + DUE_MS) }, signal),
    detail: task,
  });
}
