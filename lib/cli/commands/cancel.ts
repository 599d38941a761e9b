/**
 * `hookwork cancel`: a job that has not begun is not to be done.
 * @module
 */
import type { Db } from "../../db/db.ts";
import { getJob } from "../../db/jobs_view.ts";
import { cancel as cancelJob } from "../../flow/operate.ts";
import { type JobDocument, jobDocument } from "../job_view.ts";

/** Gives a pending job up. Throws what `cancel` of the flow throws. */
export async function cancel(db: Db, id: string): Promise<JobDocument> {
  await cancelJob({ db }, id);
  return jobDocument((await getJob(db, id))!);
}

/** What was done, and how to undo it. */
export function renderCancel({ id, kind }: JobDocument): string {
  return `Job ${id} (${kind}) is cancelled.\nIf it is to be done after all:  hookwork retry ${id}`;
}
