/**
 * The date of a contract: a day on the calendar of a stated time zone, written out in Russian.
 * @module
 */
import { NO_BREAK_SPACE } from "./money.ts";

/** In the genitive: Russian dates read "the first of December". */
const MONTHS = "января февраля марта апреля мая июня июля августа сентября октября ноября декабря"
  .split(" ");

/** The day, as `2026-12-01`, that an instant falls on in an IANA time zone. */
export function calendarDate(instant: Date, timeZone: string): string {
  return instant.toTemporalInstant().toZonedDateTimeISO(timeZone).toPlainDate().toString();
}

/** `1 декабря 2026 г.` for `2026-12-01`. */
export function longDate(date: string): string {
  const { day, month, year } = Temporal.PlainDate.from(date);
  return [day, MONTHS[month - 1], year, "г."].join(NO_BREAK_SPACE);
}
