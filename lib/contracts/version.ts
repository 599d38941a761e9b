/**
 * Which contracts of a deal are one and the same: what follows when a deal returns to the stage.
 * @module
 */
import { choice } from "../base/settings.ts";
import type { ContractData } from "./data.ts";
import { dealFieldsOf } from "./fields.ts";
import { sha256 } from "./storage.ts";
import { PLACEHOLDER, type Template } from "./template.ts";

const HASH_DIGITS = 12;

/** The setting CONTRACT_REPEAT. */
export const contractRepeat = choice(
  "Whether a deal gets one contract of a template (once), or another one when its terms have changed (per-terms).",
  { of: ["once", "per-terms"], default: "once" },
);

/**
 * The version under which a contract is recorded: that of the template, `v1`, or with a hash of the parties, the items with
 * their prices, and those fields of the deal that the template names, `v1-3f0c9a1b2d4e`. Number and date are no terms.
 */
export async function versionOf(
  repeat: "once" | "per-terms",
  { version, blocks }: Template,
  data: ContractData,
): Promise<string> {
  if (repeat === "once") return version;
  const { seller, buyer, items, vatPercent } = data;
  const named = blocks.flatMap(({ text }) =>
    [...text.matchAll(PLACEHOLDER)].map(([, name]) => name!)
  );
  const terms = { seller, buyer, items, vatPercent, fields: dealFieldsOf(named, data) };
  const hash = await sha256(new TextEncoder().encode(JSON.stringify(terms)));
  return `${version}-${hash.slice(0, HASH_DIGITS)}`;
}
