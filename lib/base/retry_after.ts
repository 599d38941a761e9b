/**
 * Reads the `Retry-After` header of HTTP.
 * @module
 */

const DAY_SECONDS = 86_400;
/** IMF-fixdate and its RFC 850 forerunner. `Date.parse` alone would take `-5` for a date, too. */
const HTTP_DATE = /^[A-Z][a-z]+, [\w :-]+ GMT$/;

/**
 * Seconds from `now` until the other side wants to be asked again, at most a day.
 *
 * Undefined when the header is absent, makes no sense, or names no time in the future: the normal
 * backoff applies then. Source: RFC 9110, sections 5.6.7 and 10.2.3.
 */
export function parseRetryAfter(header: string | null, now: Date): number | undefined {
  const seconds = secondsAhead(header?.trim() ?? "", now);
  return seconds > 0 ? Math.min(seconds, DAY_SECONDS) : undefined;
}

function secondsAhead(header: string, now: Date): number {
  if (/^\d+$/.test(header)) return Number(header);
  if (HTTP_DATE.test(header)) return Math.ceil((Date.parse(header) - now.getTime()) / 1000);
  return NaN;
}
