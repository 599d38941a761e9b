/**
 * `hookwork replay --dry-run`: what a replay of many would make, and which keys are taken.
 * @module
 */
import type { App } from "../../app.ts";
import type { EventSpan } from "../../db/events_bulk.ts";
import { type PlannedJob, type PlannedStep, planReplayMany } from "../../flow/operate_many.ts";
import { chooseEvents } from "./replay_many.ts";

/** Tells what a replay would do to these events. */
export async function planReplay(
  app: App,
  options: EventSpan & { again?: boolean },
): Promise<PlannedStep[]> {
  const ids = await chooseEvents(app, options);
  return await planReplayMany(app, ids, { again: options.again ?? false });
}

/** A line for each job, and the sum of it. */
export function renderPlan(plan: readonly PlannedStep[]): string {
  const jobs = plan.flatMap((step) => "jobs" in step ? step.jobs : []);
  const taken = jobs.filter((job) => job.taken).length;
  return [
    ...plan.flatMap((step) =>
      "skipped" in step
        ? [`Would skip: ${step.skipped}`]
        : step.jobs.map((job) => `Event ${step.event}: ${describePlanned(job)}`)
    ),
    `${plan.length} event(s) would be replayed: ${jobs.length - taken} job(s) made; ` +
    `${taken} not made, their keys are taken.`,
  ].join("\n");
}

function describePlanned({ kind, key, taken }: PlannedJob): string {
  if (key === null) return kind;
  return taken ? `${kind}, not made: its key is taken: ${key}` : `${kind}, key ${key}`;
}
