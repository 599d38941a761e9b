/**
 * Lists of the API: filters, pages, and 204 where there is nothing.
 * @module
 */
import { NO_CONTENT, ok, type Reply } from "./reply.ts";

/** How much one page holds. */
export interface PageSize {
  readonly standard: number;
  readonly most: number;
}

/** One page of rows, the first being 1. No rows, also beyond the last page: 204 without a body. There is no total. */
export function pageOf(url: URL, key: string, rows: readonly unknown[], size: PageSize): Reply {
  const number = Math.max(1, Number(url.searchParams.get("page") ?? 1) || 1);
  const asked = Number(url.searchParams.get("limit") ?? size.standard) || size.standard;
  const limit = Math.min(Math.max(1, asked), size.most);
  const start = (number - 1) * limit;
  const shown = rows.slice(start, start + limit);
  if (shown.length === 0) return NO_CONTENT;
  const hasMore = rows.length > start + limit;
  return ok({
    _page: number,
    _links: {
      self: link(url.href),
      ...hasMore ? { next: link(withPage(url, number + 1)) } : {},
    },
    _embedded: { [key]: shown },
  });
}

/** A link in HAL. */
export function link(href: string): { readonly href: string } {
  return { href };
}

function withPage(url: URL, number: number): string {
  const next = new URL(url);
  next.searchParams.set("page", `${number}`);
  return next.href;
}

/** The values of a filter, written as `filter[x]=a,b`, `filter[x][]=a&filter[x][]=b` or with numbers in the brackets. */
export function filterValues(query: URLSearchParams, name: string): string[] {
  const plain = query.get(`filter[${name}]`)?.split(",") ?? [];
  const listed = [...query].filter(([key]) =>
    key.startsWith(`filter[${name}][`) && /\[\d*\]$/.test(key)
  );
  return [...plain, ...listed.map(([_, value]) => value)];
}

/** Whether a time lies in `filter[x][from]` to `filter[x][to]`, or in `filter[x]=from,to`, both included. */
export function isWithin(query: URLSearchParams, name: string, seconds: number): boolean {
  const [first, last] = query.get(`filter[${name}]`)?.split(",") ?? [];
  const from = query.get(`filter[${name}][from]`) ?? first;
  const to = query.get(`filter[${name}][to]`) ?? last;
  return seconds >= Number(from || -Infinity) && seconds <= Number(to || Infinity);
}

/** Whether a value is among those of a filter, or there is no such filter. */
export function isAsked(query: URLSearchParams, name: string, value: string | number): boolean {
  const values = filterValues(query, name);
  return values.length === 0 || values.includes(`${value}`);
}

/** The rows in the order of `order[x]=asc` or `desc`; as they are when none is asked for. */
export function ordered<T extends { readonly id: number | string }>(
  query: URLSearchParams,
  rows: readonly T[],
): T[] {
  const [_, field, direction] = [...query].map((
    [key, value],
  ) => [...(/^order\[(created_at|updated_at|id)\]$/.exec(key) ?? []), value]).find((found) =>
    found.length === 3
  ) ?? [];
  if (field === undefined) return [...rows];
  const sign = direction === "desc" ? -1 : 1;
  const valueOf = (row: T) => Number((row as Record<string, unknown>)[field]);
  return rows.toSorted((a, b) => sign * (valueOf(a) - valueOf(b)));
}
