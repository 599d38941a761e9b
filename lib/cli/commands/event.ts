/**
 * `hookwork event`: one stored delivery with what became of it, or its exact bytes.
 * @module
 */
import { RefusedError } from "../../base/errors.ts";
import type { Queries } from "../../db/db.ts";
import { getEvent, type StoredEvent } from "../../db/events.ts";
import { listJobsOfEvent } from "../../db/jobs_view.ts";
import { getBodyRemovedAt } from "../../db/retention.ts";
import { describeRemoval } from "../../flow/retention.ts";
import { type EventDocument, eventDocument, renderEvent } from "../event_view.ts";
import { type JobDocument, jobDocument, renderJob } from "../job_view.ts";
import type { Page } from "../output.ts";

/** An event and all jobs that grew from it. */
export interface EventChain {
  readonly event: EventDocument;
  readonly jobs: readonly JobDocument[];
}

/** Follows an event to its jobs. Throws RefusedError when there is no such event. */
export async function event(db: Queries, id: string): Promise<EventChain> {
  const found = await find(db, id);
  const jobs = await listJobsOfEvent(db, id);
  const removedAt = await getBodyRemovedAt(db, id);
  return { event: eventDocument(found, removedAt), jobs: jobs.map(jobDocument) };
}

/** The bytes as they came in. Throws RefusedError when they are not there, or not any more. */
export async function eventBytes(db: Queries, id: string): Promise<Uint8Array> {
  const { body } = await find(db, id);
  if (body) return body;
  const why = describeRemoval("body", await getBodyRemovedAt(db, id));
  throw new RefusedError(`Cannot show the bytes of event ${id}: ${why}`);
}

async function find(db: Queries, id: string): Promise<StoredEvent> {
  const found = await getEvent(db, id);
  if (found) return found;
  throw new RefusedError(`Cannot show event ${id}: there is no such event`);
}

/** The event, then its jobs in order. */
export function renderEventChain({ event, jobs }: EventChain, page: Page): string {
  return [
    renderEvent(event, page),
    jobs.length === 0 ? "No job grew from it." : "Its jobs:",
    ...jobs.map((job) => renderJob(job, page)),
  ].join("\n\n");
}
