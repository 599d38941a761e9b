/**
 * `hookwork retry`: another chance for a job.
 * @module
 */
import type { Db } from "../../db/db.ts";
import { listEffectsOfJob } from "../../db/effects_view.ts";
import { getJob } from "../../db/jobs_view.ts";
import { retry as retryJob } from "../../flow/operate.ts";
import { shellWord } from "../../flow/effect_rules.ts";
import { type JobDocument, jobDocument } from "../job_view.ts";

/** The job as it is now. */
export interface Retried extends JobDocument {
  /** The keys of effects that are done: a new attempt is given their references. */
  readonly existing: readonly string[];
}

/** Gives a job a fresh budget and returns it to the queue. Throws what `retry` of the flow throws. */
export async function retry(
  db: Db,
  id: string,
  options: { again?: boolean } = {},
): Promise<Retried> {
  await retryJob({ db }, id, { again: options.again ?? false });
  const effects = await listEffectsOfJob(db, id);
  return {
    ...jobDocument((await getJob(db, id))!),
    existing: effects.filter(({ state }) => state === "done").map(({ key }) => key),
  };
}

/** What was done, and where to look next. */
export function renderRetry({ id, kind, maxAttempts, existing }: Retried): string {
  return [
    `Job ${id} (${kind}) is due again, with ${maxAttempts} new attempts.`,
    ...existing.map((key) =>
      `It will not create again what exists:  hookwork effect ${shellWord(key)}`
    ),
    `What becomes of it:  hookwork job ${id}`,
  ].join("\n");
}
