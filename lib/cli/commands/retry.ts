/**
 * `hookwork retry`: another chance for a job.
 * @module
 */
import type { Db } from "../../db/db.ts";
import { getJob } from "../../db/jobs_view.ts";
import { retry as retryJob } from "../../flow/operate.ts";
import { type JobDocument, jobDocument } from "../job_view.ts";

/** Gives a job a fresh budget and returns it to the queue. Throws what `retry` of the flow throws. */
export async function retry(
  db: Db,
  id: string,
  options: { again?: boolean } = {},
): Promise<JobDocument> {
  await retryJob({ db }, id, { again: options.again ?? false });
  return jobDocument((await getJob(db, id))!);
}

/** What was done, and where to look next. */
export function renderRetry({ id, kind, maxAttempts }: JobDocument): string {
  return `Job ${id} (${kind}) is due again, with ${maxAttempts} new attempts.\n` +
    `What becomes of it:  hookwork job ${id}`;
}
