/**
 * Asks amoCRM what happened in a time, and makes the jobs of what no webhook has told.
 *
 * The journal comes first: it also knows a deal that came to the stage and left it. The deals themselves are the second way,
 * for what the token's user does not see in the journal, or what has left it. Both make their jobs by the table of tasks, as
 * webhooks do; and what was done already ends at its result.
 * @module
 */
import { MISSING } from "../../base/amocrm.ts";
import { type ContractRule, jobsOf, type LeadChange } from "../../base/amocrm_tasks.ts";
import type { NewJob } from "../../contract.ts";
import type { AmoCrm } from "./amocrm.ts";
import type { CrmEvent, Span } from "./changes.ts";

/**
 * A time that ended later than so long ago is not over yet: how late the journal may be is not documented, and a webhook that
 * was not answered comes again after five minutes.
 */
export const SETTLE_SECONDS = 600;
/** The clock of amoCRM and that of the database may differ, and the last word of a receiver may be a tick old. */
const MARGIN_MS = 60_000;
/** A job is made after the change that it is for; so much earlier, it still counts as its job. */
const CLOCK_MS = 5000;
const TYPES = ["lead_status_changed", "lead_added"];

/** What is known here, and the way to more of it. */
export interface Desk {
  /** When the newest job of a collapse key was made. */
  newestJob(collapse: string): Promise<Date | undefined>;
  hasContract(lead: string): Promise<boolean>;
  /** Undefined when no job is made, as in shadow. */
  enqueue(job: NewJob): Promise<string | undefined>;
}

/** A deal whose change no webhook has told. */
export interface Missed {
  readonly lead: string;
  /** When it changed, by amoCRM's clock. */
  readonly at: Date;
  readonly how: "moved to the stage" | "made at the stage" | "is at the stage";
  readonly job: string | null;
}

/** One entry of the journal, or one deal, was looked at. */
export interface Step {
  readonly looked: "entry" | "deal";
  readonly missed?: Missed;
}

/** What to look at. */
export interface Search {
  readonly span: Span;
  /** Whether the deals are gone through as well: where amoCRM ignores the filter these are all deals of the account. */
  readonly deals: boolean;
  /** The deals that have changed since the span began are looked at until here. */
  readonly now: Date;
}

/** Looks at all there is, a step at a time. It may be left at any step and begun anew: nothing is made twice. */
export async function* reconcile(
  amocrm: Pick<AmoCrm, "events" | "lead" | "leadsUpdated">,
  desk: Desk,
  rule: ContractRule,
  { span, deals, now }: Search,
): AsyncGenerator<Step> {
  const from = new Date(span.from.getTime() - MARGIN_MS);
  const to = new Date(span.to.getTime() + MARGIN_MS);
  for await (const entry of amocrm.events({ from, to }, TYPES)) {
    const change = await changeOf(entry, amocrm);
    const [job] = change === undefined ? [] : jobsOf([change], rule);
    const how = change?.action === "add" ? "made at the stage" : "moved to the stage";
    const at = entry.createdAt;
    const isMissed = job !== undefined && !await isKnown(desk, job, at);
    yield {
      looked: "entry",
      missed: isMissed ? await make(desk, job, { lead: entry.entityId, at, how }) : undefined,
    };
  }
  if (!deals) return;
  for await (const lead of amocrm.leadsUpdated({ from, to: now })) {
    const change = { ...NO_PAST, action: "status", lead: lead.id, ...stageOf(lead) };
    const [job] = jobsOf([change], rule);
    // When it came to the stage is not known: a job or a contract of any time speaks for it.
    const isMissed = job !== undefined && await desk.newestJob(job.collapse!) === undefined &&
      !await desk.hasContract(lead.id);
    const found = { lead: lead.id, at: lead.updatedAt, how: "is at the stage" } as const;
    yield { looked: "deal", missed: isMissed ? await make(desk, job, found) : undefined };
  }
}

const NO_PAST = { oldPipeline: MISSING, oldStage: MISSING };

/** The change, as a webhook would have told it. The journal does not say at which stage a deal was made: the deal does. */
async function changeOf(
  { type, entityId: lead, after, before }: CrmEvent,
  amocrm: Pick<AmoCrm, "lead">,
): Promise<LeadChange | undefined> {
  if (type === "lead_added") {
    const made = await amocrm.lead(lead);
    return made && { ...NO_PAST, action: "add", lead, ...stageOf(made) };
  }
  if (after === undefined) return undefined;
  const { pipelineId: oldPipeline = MISSING, stageId: oldStage = MISSING } = before ?? {};
  return { action: "status", lead, ...stageOf(after), oldPipeline, oldStage };
}

function stageOf({ pipelineId, stageId }: { pipelineId: string; stageId: string }) {
  return { pipeline: pipelineId, stage: stageId };
}

async function isKnown(desk: Desk, { collapse }: NewJob, at: Date): Promise<boolean> {
  const newest = await desk.newestJob(collapse!);
  return newest !== undefined && newest.getTime() >= at.getTime() - CLOCK_MS;
}

async function make(desk: Desk, job: NewJob, missed: Omit<Missed, "job">): Promise<Missed> {
  return { ...missed, job: await desk.enqueue(job) ?? null };
}
