/**
 * What amoCRM says of a refusal, in a sentence that is safe to show.
 * @module
 */
import { z } from "zod";
import { cutText, printable } from "../../base/text.ts";
import type { Answer } from "../http.ts";

const DETAIL_UNITS = 300;

/** The form of RFC 7807, with the older codes beside it, and a reason for each part that was refused. */
const problemForm = z.object({
  title: z.string().optional(),
  detail: z.string().optional(),
  hint: z.string().optional(),
  code: z.coerce.number().optional().catch(undefined),
  error_code: z.coerce.number().optional().catch(undefined),
  retry_after: z.number().nonnegative().max(86_400).optional().catch(undefined),
  "validation-errors": z.array(z.object({
    errors: z.array(z.object({ path: z.string().default(""), detail: z.string().default("") })),
  })).optional().catch(undefined),
});

/** A refusal in the API's own words. */
export type Problem = z.infer<typeof problemForm>;

/** The problem that an answer tells; undefined for a page, which comes from something before the API, and for an empty one. */
export function problemOf(answer: Answer): Problem | undefined {
  return problemForm.safeParse(answer.json()).data;
}

/**
 * The answer as it reads after a colon, with the number by which amoCRM's support finds the request, and without these
 * secrets: the log knows only those of the settings.
 */
export function describeAnswer(answer: Answer, secrets: readonly string[]): string {
  const problem = problemOf(answer);
  const id = answer.headers.get("x-request-id") ?? "";
  const request = /^[\w-]{8,64}$/.test(id) ? ` (request ${id})` : "";
  if (problem === undefined) {
    const text = answer.body.length === 0 ? "nothing" : "a page and no data";
    return `the answer was ${answer.status} with ${text}${request}`;
  }
  return `amoCRM answered ${answer.status}, ${wordsOf(problem, secrets)}${request}`;
}

function wordsOf(
  { title, detail, hint, "validation-errors": invalid = [] }: Problem,
  secrets: readonly string[],
): string {
  const parts = invalid.flatMap(({ errors }) =>
    errors.map(({ path, detail }) => `${path}: ${detail}`)
  );
  const words = [detail ?? title, hint, ...parts].filter((word) => word).join("; ");
  // Before it is cut: half a secret is not recognised.
  const shown = secrets.reduce((text, secret) => text.replaceAll(secret, "***"), words);
  return cutText(printable(shown || "without a reason"), DETAIL_UNITS);
}
