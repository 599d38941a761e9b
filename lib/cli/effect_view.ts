/**
 * An effect as the terminal shows it.
 * @module
 */
import { cutText } from "../base/text.ts";
import type { EffectView } from "../db/effects_view.ts";
import { shellWord } from "../flow/effect_rules.ts";
import { JsonText } from "./json_text.ts";
import type { Page } from "./output.ts";
import { renderFields } from "./table.ts";

/** Characters of a detail that are shown to people; `--json` gives all of it. */
const MAX_DETAIL_UNITS = 2000;

/** An effect whose detail keeps every digit in JSON too. */
export type EffectDocument = Omit<EffectView, "detail"> & { readonly detail: JsonText | null };

/** Makes an effect fit for output. */
export function effectDocument(effect: EffectView): EffectDocument {
  return { ...effect, detail: effect.detail === null ? null : new JsonText(effect.detail) };
}

/** All there is to know of an effect, and what is left to a person. */
export function renderEffect(effect: EffectDocument, page: Page): string {
  const { key, kind, state, jobId, claim, otherRefs, detail } = effect;
  const command = `hookwork effect ${shellWord(key)}`;
  const fields = renderFields([
    ["kind", kind],
    ["job", `${jobId} (claim ${claim})`],
    ["reference", effect.ref],
    ["created again as", otherRefs.length === 0 ? null : otherRefs.join("\n")],
    [state === "planned" ? "planned" : "noted", page.time(effect.intendedAt)],
    ["call ends by", state === "intended" && effect.endsAt ? page.time(effect.endsAt) : null],
    ["done", effect.doneAt && page.time(effect.doneAt)],
    ["detail", detail && cutText(detail.toString(), MAX_DETAIL_UNITS)],
    ["if it is there", state === "intended" ? `${command} --happened <reference>` : null],
    ["if it is not", state === "intended" ? `${command} --did-not-happen` : null],
  ]);
  return `Effect ${key}  ${state}\n${fields}`;
}
