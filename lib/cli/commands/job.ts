/**
 * `hookwork job`: one job with where it came from.
 * @module
 */
import { RefusedError } from "../../base/errors.ts";
import type { Queries } from "../../db/db.ts";
import { getEvent } from "../../db/events.ts";
import { getJob, listJobsOfEvent } from "../../db/jobs_view.ts";
import { type EventDocument, eventDocument, renderEvent } from "../event_view.ts";
import { type JobDocument, jobDocument, renderJob } from "../job_view.ts";
import type { Page } from "../output.ts";

/** A job, the event from which it grew, and the other jobs of that event. */
export interface JobChain {
  readonly job: JobDocument;
  readonly event: EventDocument | null;
  readonly siblings: readonly JobDocument[];
}

/** Follows a job to its event. Throws RefusedError when there is no such job. */
export async function job(db: Queries, id: string): Promise<JobChain> {
  const found = await getJob(db, id);
  if (!found) throw new RefusedError(`Cannot show job ${id}: there is no such job`);
  const { eventId } = found;
  const event = eventId === null ? undefined : await getEvent(db, eventId);
  const siblings = eventId === null ? [] : await listJobsOfEvent(db, eventId);
  return {
    job: jobDocument(found),
    event: event === undefined ? null : eventDocument(event),
    siblings: siblings.filter((sibling) => sibling.id !== id).map(jobDocument),
  };
}

/** The job first: it is what was asked for. */
export function renderJobChain({ job, event, siblings }: JobChain, page: Page): string {
  return [
    renderJob(job, page),
    event === null ? "It grew from no event." : `Its event:\n\n${renderEvent(event, page)}`,
    ...(siblings.length === 0 ? [] : ["Other jobs of this event:"]),
    ...siblings.map((sibling) => renderJob(sibling, page)),
  ].join("\n\n");
}
