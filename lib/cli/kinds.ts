/**
 * The kinds that this program knows, for commands that work without any automation's settings.
 * @module
 */
import { RefusedError } from "../base/errors.ts";
import { nameHint } from "../base/nearest.ts";
import type { Queries } from "../db/db.ts";
import { hasJobs } from "../db/jobs_view.ts";
import { definitions } from "../registry.ts";

/** The lane without which jobs of a kind are not begun. */
export function laneOfKind(kind: string): string | undefined {
  return definitions.handlers.find((handler) => handler.kind === kind)?.lane;
}

/** Refuses a kind that no handler does and of which there is no job: when nothing was found, it is most likely misspelt. */
export async function refuseUnknownKind(db: Queries, kind: string | undefined): Promise<void> {
  const kinds = definitions.handlers.map((handler) => handler.kind);
  if (kind === undefined || kinds.includes(kind) || await hasJobs(db, kind)) return;
  throw new RefusedError(
    `Cannot find anything of the kind ${kind}: ${nameHint(kind, kinds, "kinds")}`,
  );
}
