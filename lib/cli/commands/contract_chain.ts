/**
 * `hookwork contract <lead>`: all that is known of a deal's contracts, from the webhook to the note.
 * @module
 */
import { type ContractRecord, listDocumentsOfLead } from "../../contracts/documents.ts";
import type { Queries } from "../../db/db.ts";
import { listEffectsOfJob } from "../../db/effects_view.ts";
import { getEvent } from "../../db/events.ts";
import { listJobsOfPayload } from "../../db/jobs_view.ts";
import { type EffectDocument, effectDocument } from "../effect_view.ts";
import { budget, type JobDocument, jobDocument, standing } from "../job_view.ts";
import type { Page } from "../output.ts";
import { renderFields, renderTable } from "../table.ts";

const KIND = "prepare_contract";

/** A delivery, without its body: `hookwork event` has that. */
export interface ChainEvent {
  readonly id: string;
  readonly receivedAt: Date;
}

/** What a deal's contracts came from, and what came of them; jobs and events as far as retention has left them. */
export interface ContractChain {
  readonly lead: string;
  readonly contracts: readonly ContractRecord[];
  readonly events: readonly ChainEvent[];
  readonly jobs: readonly JobDocument[];
  readonly effects: readonly EffectDocument[];
}

/** Follows a deal to its contracts, and those to their jobs and webhooks. */
export async function contractChain(db: Queries, lead: string): Promise<ContractChain> {
  const contracts = await listDocumentsOfLead(db.sql, lead);
  const jobs = await listJobsOfPayload(db, { kind: KIND, field: "lead", value: lead });
  const effects = [];
  for (const { id } of jobs) effects.push(...await listEffectsOfJob(db, id));
  const events = [];
  for (const id of new Set(jobs.map(({ eventId }) => eventId))) {
    const event = id === null ? undefined : await getEvent(db, id);
    if (event) events.push({ id: event.id, receivedAt: event.receivedAt });
  }
  return {
    lead,
    contracts,
    events,
    jobs: jobs.map(jobDocument),
    effects: effects.map(effectDocument),
  };
}

/** The contracts, then what happened, in the order of time. */
export function renderContractChain(chain: ContractChain, page: Page): string {
  const { lead, contracts } = chain;
  const steps = stepsOf(chain);
  return [
    `Deal ${lead} has ${contracts.length} contract(s).`,
    ...contracts.map((contract) => renderContract(contract, page)),
    steps.length === 0
      ? "No job is known of it. What came of its webhooks: hookwork events --source amocrm"
      : renderTable(steps, [
        { title: "TIME", cell: ({ at }) => page.time(at) },
        { title: "WHAT", cell: ({ what }) => what, flexible: true },
        { title: "FROM", cell: ({ from }) => from },
        { title: "HOW IT STANDS", cell: ({ how }) => how, flexible: true },
      ], page.columns),
  ].join("\n\n");
}

function renderContract(contract: ContractRecord, page: Page): string {
  const { number, date, templateVersion, path, sha256, noteRef, createdAt } = contract;
  const fields = renderFields([
    ["date", date],
    ["version", templateVersion],
    ["reserved", page.time(createdAt)],
    ["file", sha256 === null ? `${path} (not stored yet)` : path],
    ["SHA-256", sha256],
    ["note", noteRef ?? "none yet"],
  ]);
  return `Contract ${number}\n${fields}`;
}

interface Step {
  readonly at: Date;
  readonly what: string;
  readonly from: string | null;
  readonly how: string;
}

function stepsOf({ events, jobs, effects }: ContractChain): Step[] {
  const steps: Step[] = [
    ...events.map(({ id, receivedAt }) => (
      { at: receivedAt, what: `event ${id}`, from: null, how: "stored" }
    )),
    ...jobs.map((job) => ({
      at: job.createdAt,
      what: `job ${job.id}`,
      from: job.eventId && `event ${job.eventId}`,
      how: [`${standing(job)} (attempts ${budget(job)})`, job.result ?? job.lastError]
        .filter((part) => part !== null).join(": "),
    })),
    ...effects.map(({ key, jobId, state, ref, otherRefs, intendedAt }) => ({
      at: intendedAt,
      what: `effect ${key}`,
      from: `job ${jobId}`,
      how: [state, ref, ...otherRefs.map((other) => `and again ${other}`)]
        .filter((part) => part !== null).join(" "),
    })),
  ];
  return steps.sort((a, b) => a.at.getTime() - b.at.getTime());
}
