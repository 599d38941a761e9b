/**
 * `hookwork jobs`: the newest jobs.
 * @module
 */
import type { Status } from "../../contract.ts";
import type { Queries } from "../../db/db.ts";
import { listJobs } from "../../db/jobs_view.ts";
import { budget, jobColumns, type JobDocument, jobDocument, standing } from "../job_view.ts";
import type { Page } from "../output.ts";
import { renderTable } from "../table.ts";

/** The newest jobs, the latest first. */
export async function jobs(
  db: Queries,
  options: { status?: Status; kind?: string; limit: number },
): Promise<JobDocument[]> {
  return (await listJobs(db, options)).map(jobDocument);
}

/** A table. */
export function renderJobs(found: readonly JobDocument[], page: Page): string {
  if (found.length === 0) return "There is no such job.";
  const columns = jobColumns([
    { title: "STATE", cell: standing },
    { title: "TRIED", cell: budget },
    { title: "EVENT", cell: (job) => job.eventId, right: true },
    { title: "CREATED", cell: (job) => page.time(job.createdAt) },
  ]);
  return renderTable(found, columns, page.columns);
}
