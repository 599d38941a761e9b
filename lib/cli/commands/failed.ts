/**
 * `hookwork failed`: the jobs given up last.
 * @module
 */
import type { Queries } from "../../db/db.ts";
import { listFailedJobs } from "../../db/jobs_view.ts";
import { budget, jobColumns, type JobDocument, jobDocument } from "../job_view.ts";
import { refuseUnknownKind } from "../kinds.ts";
import type { Page } from "../output.ts";
import { renderTable } from "../table.ts";

/** The jobs given up last, the latest first. Throws RefusedError for a kind that nobody knows. */
export async function failed(
  db: Queries,
  options: { kind?: string; limit: number },
): Promise<JobDocument[]> {
  const found = await listFailedJobs(db, options);
  if (found.length === 0) await refuseUnknownKind(db, options.kind);
  return found.map(jobDocument);
}

/** A table, and the commands that lead on from it. */
export function renderFailed(jobs: readonly JobDocument[], page: Page): string {
  const [latest] = jobs;
  if (latest === undefined) return "No job is given up.";
  const columns = jobColumns([
    { title: "REASON", cell: (job) => job.reason },
    { title: "TRIED", cell: budget },
    { title: "GIVEN UP", cell: (job) => job.finishedAt && page.time(job.finishedAt) },
  ]);
  return `${renderTable(jobs, columns, page.columns)}

All of one:  hookwork job ${latest.id}
Try again:   hookwork retry ${latest.id}`;
}
