/**
 * `hookwork retry --kind --since`: another chance for all jobs of one kind that were given up since a time.
 * @module
 */
import { formatSeconds } from "../../base/span.ts";
import type { Reason } from "../../contract.ts";
import type { Db } from "../../db/db.ts";
import { type FailedJob, listFailedSince } from "../../db/jobs_bulk.ts";
import { retryMany as retryJobs } from "../../flow/operate_many.ts";
import type { Agree } from "../many.ts";

/** A person has decided these, or has to: they are tried again only when they are asked for by name. */
const DECIDED_BY_HAND: readonly Reason[] = ["cancelled", "outcome_unknown"];

/** Which jobs, and how fast. */
export interface RetryManyOptions {
  readonly kind: string;
  readonly since: Date;
  readonly reason?: Reason;
  readonly rate: number;
}

/** What was done. */
export interface RetriedMany {
  readonly kind: string;
  readonly retried: number;
  /** Numbers by reason. */
  readonly leftOut: Readonly<Partial<Record<Reason, number>>>;
  /** Until the last is due. */
  readonly seconds: number;
}

/** Returns failed jobs to the queue, the first now and the last when the rate allows it. Asks before. */
export async function retryMany(
  db: Db,
  { kind, since, reason, rate }: RetryManyOptions,
  agree: Agree,
): Promise<RetriedMany> {
  const failed = await listFailedSince(db, { kind, since });
  const isChosen = (job: FailedJob) =>
    reason ? job.reason === reason : !DECIDED_BY_HAND.includes(job.reason);
  const chosen = failed.filter(isChosen);
  const leftOut = reason ? {} : countByReason(failed.filter((job) => !isChosen(job)));
  const seconds = Math.ceil(Math.max(0, chosen.length - 1) / rate);
  if (chosen.length === 0) return { kind, retried: 0, leftOut, seconds };
  agree(
    `${chosen.length} job(s) of the kind ${kind} will be tried again ` +
      `(${describeCounts(countByReason(chosen))}), ${rate} a second, in ${formatSeconds(seconds)}.`,
  );
  const retried = await retryJobs({ db }, chosen.map(({ id }) => id), { perSecond: rate });
  return { kind, retried, leftOut, seconds };
}

type Counts = RetriedMany["leftOut"];

function countByReason(jobs: readonly FailedJob[]): Counts {
  const groups = Object.entries(Object.groupBy(jobs, ({ reason }) => reason));
  return Object.fromEntries(groups.map(([reason, group]) => [reason, group!.length]));
}

function describeCounts(counts: Counts): string {
  return Object.entries(counts).map(([reason, count]) => `${count} ${reason}`).join(", ");
}

/** How many, until when, and which were left out. */
export function renderRetriedMany({ kind, retried, leftOut, seconds }: RetriedMany): string {
  const done = retried === 0
    ? `No job of the kind ${kind} is tried again.`
    : `${retried} job(s) of the kind ${kind} are in the queue again, the last is due in ${
      formatSeconds(seconds)
    }.`;
  if (Object.keys(leftOut).length === 0) return done;
  return `${done}\nLeft out: ${describeCounts(leftOut)}. A person decides these, by --reason.`;
}
