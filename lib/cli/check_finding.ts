/**
 * What `hookwork check` found of one thing that it tried.
 * @module
 */
import { describeError } from "../base/errors.ts";

/** One thing that was tried. */
export interface Finding {
  readonly ok: boolean;
  readonly part: "configuration" | "database" | "queue" | "telegram" | "storage" | "amocrm";
  readonly detail: string;
}

/** It can be used. */
export const good = (part: Finding["part"], detail: string): Finding => ({
  ok: true,
  part,
  detail,
});

/** It cannot, and why. */
export const bad = (part: Finding["part"], detail: string): Finding => ({
  ok: false,
  part,
  detail,
});

/** Tries something: what it comes to, or what it throws, as one finding. */
export async function attempt(
  part: Finding["part"],
  redact: (text: string) => string,
  work: () => Promise<string>,
): Promise<Finding> {
  try {
    return good(part, await work());
  } catch (error) {
    return bad(part, redact(describeError(error)));
  }
}
