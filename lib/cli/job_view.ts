/**
 * A job as the terminal shows it: in a line of a table, and whole.
 * @module
 */
import { cutText } from "../base/text.ts";
import type { JobView } from "../db/jobs_view.ts";
import { JsonText } from "./json_text.ts";
import type { Page } from "./output.ts";
import { type Column, renderFields } from "./table.ts";

/** Characters of a payload that are shown to people; `--json` gives all of it. */
const MAX_PAYLOAD_UNITS = 2000;

/** A job whose payload keeps every digit in JSON too. */
export type JobDocument = Omit<JobView, "payload"> & { readonly payload: JsonText };

/** Makes a job fit for output. */
export function jobDocument(job: JobView): JobDocument {
  return { ...job, payload: new JsonText(job.payload) };
}

/** The columns in which jobs are listed; `extra` ones stand before the last error. */
export function jobColumns(extra: readonly Column<JobDocument>[]): Column<JobDocument>[] {
  return [
    { title: "ID", cell: (job) => job.id, right: true },
    { title: "KIND", cell: (job) => job.kind, flexible: true },
    ...extra,
    { title: "LAST ERROR", cell: (job) => job.lastError, flexible: true },
  ];
}

/** How a job stands, in a few words. */
export function standing({ status, reason }: Pick<JobView, "status" | "reason">): string {
  return reason === null ? status : `${status}: ${reason}`;
}

/** How often a job was tried, of how often it may be. */
export function budget({ attempts, maxAttempts }: Pick<JobView, "attempts" | "maxAttempts">) {
  return `${attempts}/${maxAttempts}`;
}

/** All there is to know of a job, and what can be done about it. */
export function renderJob(job: JobDocument, page: Page): string {
  const time = (instant: Date | null) => instant && page.time(instant);
  const fields = renderFields([
    ["attempts", `${budget(job)} (claims: ${job.claims}, lost: ${job.lost})`],
    ["event", job.eventId],
    ["key", job.key],
    [job.collapses ? "collapse key" : "entity", job.entity],
    ["superseded by", job.supersededBy && `job ${job.supersededBy}`],
    ["priority", job.priority],
    ["created", time(job.createdAt)],
    ["due", job.status === "pending" ? time(job.runAt) : null],
    ["started", time(job.startedAt)],
    ["finished", time(job.finishedAt)],
    ["held by", job.lockedBy],
    ["lease until", time(job.lockedUntil)],
    ["result", job.result],
    ["last error", job.lastError],
    ["payload", describePayload(job, page)],
    ["try again", isRetryable(job) ? `hookwork retry ${job.id}` : null],
  ]);
  return `Job ${job.id}  ${job.kind}  ${standing(job)}\n${fields}`;
}

function describePayload({ payload, payloadRemovedAt }: JobDocument, page: Page): string {
  return payloadRemovedAt === null
    ? cutText(payload.toString(), MAX_PAYLOAD_UNITS)
    : `removed by retention on ${page.time(payloadRemovedAt)}`;
}

function isRetryable({ status, payloadRemovedAt }: JobDocument): boolean {
  return status === "failed" && payloadRemovedAt === null;
}
