/**
 * Instants as people read and write them.
 * @module
 */

/** An instant in a time zone, to the second: `2026-03-01 09:05:00+03:00`; `never` for one without end, which a database may hold. */
export function formatTime(time: Date, timeZone: string): string {
  if (Number.isNaN(time.getTime())) return "never";
  return time.toTemporalInstant().toZonedDateTimeISO(timeZone)
    .toString({ smallestUnit: "second", timeZoneName: "never" }).replace("T", " ");
}

const SPAN_SECONDS: Record<string, number> = { s: 1, m: 60, h: 3600, d: 86_400 };

/**
 * The instant that somebody typed: a span before now such as `90m`, `2h` or `3d`, or a date with or without a time, as ISO
 * 8601 has it or as `formatTime` writes it. Without an offset it is of the time zone. Undefined when it is none of these.
 */
export function readTime(text: string, now: Date, timeZone: string): Date | undefined {
  const [, count, unit] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  if (count && unit) return new Date(now.getTime() - Number(count) * SPAN_SECONDS[unit]! * 1000);
  try {
    return new Date(instantOf(text, timeZone).epochMilliseconds);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function instantOf(text: string, timeZone: string): Temporal.Instant {
  const hasOffset = /:.*(z|[+-]\d\d:?\d\d)$/i.test(text);
  if (hasOffset) return Temporal.Instant.from(text);
  return Temporal.PlainDateTime.from(text).toZonedDateTime(timeZone).toInstant();
}
