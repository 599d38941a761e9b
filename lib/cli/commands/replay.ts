/**
 * `hookwork replay`: the stored bytes of an event are routed again.
 * @module
 */
import type { App } from "../../app.ts";
import { replay as replayEvent, type ReplayedJob } from "../../flow/operate.ts";
import { ExitCode } from "../failure.ts";
import { contact } from "../open.ts";

/** What a replay made, and what it did not make. */
export interface Replay {
  readonly event: string;
  readonly jobs: readonly ReplayedJob[];
}

/** Makes the jobs of an event again. Throws what `replay` of the flow throws. */
export async function replay(
  app: App,
  event: string,
  options: { again?: boolean },
): Promise<Replay> {
  await contact(app.db);
  return { event, jobs: await replayEvent(app, event, { again: options.again ?? false }) };
}

/** A line for each job, and how to make those whose key was taken. */
export function renderReplay({ event, jobs }: Replay): string {
  if (jobs.length === 0) return `Event ${event} asks for no job.`;
  const lines = jobs.map(({ id, kind, key }) =>
    id === null ? `Not made: ${kind}, its key is taken: ${key}` : `Made job ${id}: ${kind}`
  );
  const hint = `See whether the jobs that have the keys were done:  hookwork event ${event}\n` +
    `Only if their work is to be done once more:  hookwork replay ${event} --again`;
  return [...lines, ...(jobs.some(isRefused) ? [hint] : [])].join("\n");
}

/** A replay that was to make jobs and made none is refused. */
export function replayExitCode({ jobs }: Replay): ExitCode {
  return jobs.length > 0 && jobs.every(isRefused) ? ExitCode.failed : ExitCode.done;
}

function isRefused({ id }: ReplayedJob): boolean {
  return id === null;
}
