/**
 * `hookwork jobs`: the newest jobs.
 * @module
 */
import type { Status } from "../../contract.ts";
import type { Queries } from "../../db/db.ts";
import { listJobs } from "../../db/jobs_view.ts";
import { budget, jobColumns, type JobDocument, jobDocument, standing } from "../job_view.ts";
import { refuseUnknownKind } from "../kinds.ts";
import type { Page } from "../output.ts";
import { renderTable } from "../table.ts";

/** The newest jobs, the latest first. Throws RefusedError for a kind that nobody knows. */
export async function jobs(
  db: Queries,
  options: { status?: Status; kind?: string; limit: number },
): Promise<JobDocument[]> {
  const found = await listJobs(db, options);
  if (found.length === 0) await refuseUnknownKind(db, options.kind);
  return found.map(jobDocument);
}

/** A table. */
export function renderJobs(found: readonly JobDocument[], page: Page): string {
  if (found.length === 0) return "No job fits.";
  const columns = jobColumns([
    { title: "STATE", cell: standing },
    { title: "TRIED", cell: budget },
    { title: "EVENT", cell: (job) => job.eventId, right: true },
    { title: "CREATED", cell: (job) => page.time(job.createdAt) },
  ]);
  return renderTable(found, columns, page.columns);
}
