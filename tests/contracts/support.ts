/** What the tests of contracts share: the sample, small templates, and a way to the outside. */

import { compose } from "../../lib/contracts/compose.ts";
import type { ContractData } from "../../lib/contracts/data.ts";
import type { ContractDocument } from "../../lib/contracts/document.ts";
import type { Outside } from "../../lib/base/outside.ts";
import { parseTemplate, type Template } from "../../lib/contracts/template.ts";
import { loadSample } from "../../lib/contracts/templates.ts";
import { check } from "../../lib/outside/check.ts";
import { call } from "../../lib/outside/http.ts";

/** A signal that is never aborted. */
export const { signal } = new AbortController();

/** The sample of v1 with some of it changed. */
export async function sampleData(change: Partial<ContractData> = {}): Promise<ContractData> {
  return { ...await loadSample("v1"), ...change };
}

/** A template with a title and a place to sign, and what is given between them. */
export function templateOf(...lines: readonly string[]): Template {
  const source = ["# Договор", ...lines, "", "[[подписи]] Поставщик || Покупатель"].join("\n");
  return parseTemplate("v0", "v0/contract.txt", source);
}

/** A composed contract of those lines. */
export async function documentOf(
  lines: readonly string[],
  change: Partial<ContractData> = {},
): Promise<ContractDocument> {
  return compose(templateOf(...lines), await sampleData(change));
}

/** The way to the outside that a job has. */
export function outsideOf(options: { deadlineSeconds?: number; shadow?: boolean } = {}): Outside {
  const { shadow = false, ...rest } = options;
  return { call: (request) => call({ signal, shadow, ...request, ...rest }), check };
}
