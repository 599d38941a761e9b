/**
 * `hookwork effect`: one effect, and a person's word on whether it happened.
 * @module
 */
import type { Db } from "../../db/db.ts";
import { findEffect, tellDidNotHappen, tellHappened } from "../../flow/effect_verdict.ts";
import { type EffectDocument, effectDocument, renderEffect } from "../effect_view.ts";
import type { Page } from "../output.ts";

/** The effect as it stands then, and whether something was decided. */
export interface EffectReport {
  readonly decided: "happened" | "did not happen" | null;
  readonly effect: EffectDocument;
}

/** Shows an effect, after deciding about it when asked to. Throws RefusedError when that cannot be. */
export async function effect(
  db: Db,
  key: string,
  options: { happened?: string; didNotHappen?: boolean },
): Promise<EffectReport> {
  const app = { db };
  if (options.didNotHappen) {
    // What is shown is what the word was about: the note itself is gone then.
    const denied = effectDocument(await findEffect(app, key));
    await tellDidNotHappen(app, key);
    return { decided: "did not happen", effect: denied };
  }
  const { happened } = options;
  if (happened !== undefined) await tellHappened(app, key, happened);
  const found = effectDocument(await findEffect(app, key));
  return { decided: happened === undefined ? null : "happened", effect: found };
}

/** What was decided and how to go on, or all there is to know. */
export function renderEffectReport({ decided, effect }: EffectReport, page: Page): string {
  if (decided === null) return renderEffect(effect, page);
  const { key, ref, jobId, jobStatus } = effect;
  const next = jobStatus === "failed" ? `\nTry the job again:  hookwork retry ${jobId}` : "";
  return decided === "happened"
    ? `Effect ${key} is done, as ${ref}: no attempt will create it.${next}`
    : `Effect ${key} is forgotten: the next attempt of its job creates it.${next}`;
}
