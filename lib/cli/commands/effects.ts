/**
 * `hookwork effects`: what was created in the outside world, or would have been.
 * @module
 */
import type { EffectState } from "../../contract.ts";
import type { Queries } from "../../db/db.ts";
import { listEffects } from "../../db/effects_view.ts";
import { type EffectDocument, effectDocument } from "../effect_view.ts";
import type { Page } from "../output.ts";
import { renderTable } from "../table.ts";

/** The effects noted last, the latest first. */
export async function effects(
  db: Queries,
  options: { planned?: boolean; state?: EffectState; kind?: string; limit: number },
): Promise<EffectDocument[]> {
  const { planned, state, kind, limit } = options;
  const found = await listEffects(db, { state: planned ? "planned" : state, kind, limit });
  return found.map(effectDocument);
}

/** A table. */
export function renderEffects(found: readonly EffectDocument[], page: Page): string {
  if (found.length === 0) return "There is no such effect.";
  return renderTable(found, [
    { title: "KEY", cell: ({ key }) => key, flexible: true },
    { title: "KIND", cell: ({ kind }) => kind, flexible: true },
    { title: "JOB", cell: ({ jobId }) => jobId, right: true },
    { title: "STATE", cell: ({ state }) => state },
    { title: "NOTED", cell: ({ intendedAt }) => page.time(intendedAt) },
    { title: "REFERENCE", cell: ({ ref }) => ref, flexible: true },
    { title: "DETAIL", cell: ({ detail }) => detail && detail.toString(), flexible: true },
  ], page.columns);
}
