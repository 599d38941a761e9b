/**
 * Which change in amoCRM makes which task. Webhooks and the reconciliation both come through here, so they make the same jobs.
 * @module
 */
import type { NewJob } from "../contract.ts";
import type { SettingValues } from "../setting.ts";
import { amocrmAccount, contractStage, isId, MISSING } from "./amocrm.ts";

/** What is known of a change of a deal; a part that the sender left out is MISSING. */
export interface LeadChange {
  /** How the webhook's body names it: `status`, `add`, `update`. */
  readonly action: string;
  readonly lead: string;
  readonly pipeline: string;
  readonly stage: string;
  readonly oldPipeline: string;
  readonly oldStage: string;
}

/** Which deals get a contract, and from which template. */
export interface ContractRule {
  /** AMOCRM_ACCOUNT, by which the keys are made: a delivery names the account in up to two ways. */
  readonly account: string;
  readonly pipeline: string;
  readonly stage: string;
  readonly templateVersion: string;
}

/** The settings of which the rule is made. */
export const contractRuleSettings = { AMOCRM_ACCOUNT: amocrmAccount, ...contractStage };

/** The rule that the settings are. */
export function ruleOf(settings: SettingValues<typeof contractRuleSettings>): ContractRule {
  return {
    account: settings.AMOCRM_ACCOUNT,
    pipeline: settings.AMOCRM_CONTRACT_PIPELINE_ID,
    stage: settings.AMOCRM_CONTRACT_STAGE_ID,
    templateVersion: settings.CONTRACT_TEMPLATE_VERSION,
  };
}

/** A line of the table. */
interface Task {
  /** What has to be subscribed, as the API of webhooks names it. */
  readonly event: string;
  readonly action: string;
  /** Whether this change, seen in this way, is the one that the task waits for. */
  when(change: LeadChange, rule: ContractRule): boolean;
  make(change: LeadChange, rule: ContractRule): NewJob;
}

/**
 * THE table. `update_lead` is there because `status_lead` has been seen missing while it came; it counts only when it says
 * itself that the deal comes from elsewhere, or every corrected sum, and every change of our own, would ask for a contract.
 */
const TASKS: readonly Task[] = [
  { event: "status_lead", action: "status", when: isAtStage, make: prepareContract },
  { event: "add_lead", action: "add", when: isAtStage, make: prepareContract },
  { event: "update_lead", action: "update", when: hasMovedToStage, make: prepareContract },
];

/** What the webhook has to be subscribed to: no less, and no more. */
export const amocrmEvents: readonly string[] = TASKS.map(({ event }) => event);

/** The jobs that follow from changes of deals. Throws a TypeError when a deal that should get one has no id. */
export function jobsOf(changes: readonly LeadChange[], rule: ContractRule): NewJob[] {
  return changes.flatMap((change) =>
    TASKS.filter(({ action, when }) => action === change.action && when(change, rule))
      .map(({ make }) => make(change, rule))
  );
}

/**
 * The job that prepares the contract of a deal. Of those that wait the newest runs; there is no key for good, since a deal
 * that came back, or whose requisites were filled in, must find the way free: `contract_documents` keeps the result single.
 * Throws a TypeError when the deal has no id.
 */
export function prepareContract(
  { lead }: Pick<LeadChange, "lead">,
  { account, templateVersion }: Pick<ContractRule, "account" | "templateVersion">,
): NewJob {
  const kind = "prepare_contract";
  if (!isId(lead)) {
    throw new TypeError(
      `Cannot prepare a contract: the deal's id is "${lead}"; see how the event names its deal`,
    );
  }
  return {
    kind,
    payload: { account, lead, templateVersion },
    collapse: [kind, account, lead, templateVersion].join(":"),
  };
}

function isAtStage({ pipeline, stage }: LeadChange, rule: ContractRule): boolean {
  return pipeline === rule.pipeline && stage === rule.stage;
}

function hasMovedToStage(change: LeadChange, rule: ContractRule): boolean {
  const { pipeline, stage, oldPipeline, oldStage } = change;
  const differs = (old: string, now: string) => old !== MISSING && old !== now;
  return isAtStage(change, rule) && (differs(oldStage, stage) || differs(oldPipeline, pipeline));
}
