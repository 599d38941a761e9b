/**
 * `hookwork job`: one job with where it came from.
 * @module
 */
import { RefusedError } from "../../base/errors.ts";
import type { Queries } from "../../db/db.ts";
import { listEffectsOfJob } from "../../db/effects_view.ts";
import { getEvent } from "../../db/events.ts";
import { getJob, listJobsOfEvent } from "../../db/jobs_view.ts";
import { getBodyRemovedAt } from "../../db/retention.ts";
import { type EffectDocument, effectDocument, renderEffect } from "../effect_view.ts";
import { type EventDocument, eventDocument, renderEvent } from "../event_view.ts";
import { type JobDocument, jobDocument, renderJob } from "../job_view.ts";
import type { Page } from "../output.ts";

/** A job, what it created outside, the event from which it grew, and the other jobs of that event. */
export interface JobChain {
  readonly job: JobDocument;
  readonly effects: readonly EffectDocument[];
  readonly event: EventDocument | null;
  readonly siblings: readonly JobDocument[];
}

/** Follows a job to its event. Throws RefusedError when there is no such job. */
export async function job(db: Queries, id: string): Promise<JobChain> {
  const found = await getJob(db, id);
  if (!found) throw new RefusedError(`Cannot show job ${id}: there is no such job`);
  const { eventId } = found;
  const event = eventId === null ? undefined : await getEvent(db, eventId);
  const removedAt = event === undefined ? null : await getBodyRemovedAt(db, event.id);
  const siblings = eventId === null ? [] : await listJobsOfEvent(db, eventId);
  return {
    job: jobDocument(found),
    effects: (await listEffectsOfJob(db, id)).map(effectDocument),
    event: event === undefined ? null : eventDocument(event, removedAt),
    siblings: siblings.filter((sibling) => sibling.id !== id).map(jobDocument),
  };
}

/** The job first: it is what was asked for. */
export function renderJobChain({ job, effects, event, siblings }: JobChain, page: Page): string {
  return [
    renderJob(job, page),
    ...effects.map((effect) => renderEffect(effect, page)),
    event === null ? "It grew from no event." : `Its event:\n\n${renderEvent(event, page)}`,
    ...(siblings.length === 0 ? [] : ["Other jobs of this event:"]),
    ...siblings.map((sibling) => renderJob(sibling, page)),
  ].join("\n\n");
}
