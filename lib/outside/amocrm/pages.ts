/**
 * Lists of the API, page by page.
 * @module
 */
import { z } from "zod";
import type { Schema } from "../../contract.ts";
import { PermanentError } from "../../base/errors.ts";
import type { Api, Question } from "./api.ts";

/** At six calls a second this takes more than five minutes, and with 250 rows each it is half a million. */
const MAX_PAGES = 2000;
/** How many pages are between two lines of log. */
const LOGGED_PAGES = 10;

/** What is to be listed. */
export interface List<T> extends Pick<Question<unknown>, "what" | "path" | "query" | "signal"> {
  /** The name of the rows in the answer. */
  readonly key: string;
  readonly row: Schema<T>;
  /** Rows of a page: 250 for most lists, 100 for events. */
  readonly limit: number;
}

/**
 * The rows of all pages, each once: rows that move while pages are read may come again. The last page is the one without a
 * link to a next one, or 204; there is no total. That link is never followed, since nobody knows which host it names.
 * Throws PermanentError after 2,000 pages.
 */
export async function* rowsOf<T extends { readonly id: string }>(
  { ask, log }: Api,
  { key, row, limit, query, ...question }: List<T>,
): AsyncGenerator<T> {
  const schema = pageForm(key, row);
  const seen = new Set<string>();
  for (let page = 1; page <= MAX_PAGES; page++) {
    const answer = await ask({ ...question, query: { ...query, page, limit }, schema });
    const fresh = (answer?.rows ?? []).filter(({ id }) => !seen.has(id));
    fresh.forEach(({ id }) => seen.add(id));
    if (page % LOGGED_PAGES === 0) {
      log.info(`${question.what}: pages read`, { page, rows: seen.size });
    }
    yield* fresh;
    if (!answer?.hasNext) return;
  }
  throw new PermanentError(
    `Cannot ${question.what}: there are more than ${MAX_PAGES} pages; ask for a shorter time`,
  );
}

function pageForm<T>(key: string, row: Schema<T>) {
  return z.object({
    _links: z.object({ next: z.object({ href: z.string() }).nullish() }).nullish(),
    _embedded: z.object({ [key]: z.array(row) }),
  }).transform(({ _links: links, _embedded: embedded }) => ({
    rows: embedded[key] as T[],
    hasNext: links?.next != null,
  }));
}
