/**
 * The slots of schedules: the one place that turns a timing into instants.
 * @module
 */
import { Cron } from "croner";
import type { Timing } from "../contract.ts";

/** One due moment of a schedule. */
export interface Slot {
  /** Its identity; names of one timing sort as text in the order of time. */
  readonly name: string;
  readonly at: Temporal.Instant;
}

type Daily = Extract<Timing, { dailyAt: string }>;
type CronLine = Extract<Timing, { cron: string }>;

const WEEK_MINUTES = 7 * 24 * 60;
const HOUR_AND_MINUTE = /^([01]\d|2[0-3]):[0-5]\d$/;

/**
 * The newest slot that has fallen due at `now`; undefined when there is none to run.
 *
 * Of several missed slots only this one is left, so downtime costs at most one late run. The slot
 * of a daily timing is its local date, and can be caught up until local midnight. In the gap of a
 * clock change it falls due at the moment after, in the overlap at the first of the two. Cron lines
 * with a fixed time do the same; those that repeat run through both hours of an overlap.
 */
export function latestSlot(
  timing: Timing,
  now: Temporal.Instant,
  defaultTimeZone: string,
): Slot | undefined {
  if ("everyMinutes" in timing) return latestInterval(timing.everyMinutes, now);
  const timeZone = timing.timeZone ?? defaultTimeZone;
  return "dailyAt" in timing
    ? latestDay(timing, now, timeZone)
    : latestCronRun(timing, now, timeZone);
}

/** What is wrong with a timing, in one sentence; undefined when it can be used. */
export function checkTiming(timing: Timing): string | undefined {
  if ("everyMinutes" in timing) return intervalProblem(timing.everyMinutes);
  if (timing.timeZone !== undefined && !isTimeZone(timing.timeZone)) {
    return `time zone "${timing.timeZone}" is not known; use an IANA name such as Europe/Berlin`;
  }
  return "dailyAt" in timing ? dailyProblem(timing) : cronProblem(timing);
}

/** Whether this is a time zone that the system knows, such as `Europe/Berlin`. */
export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

/** Intervals are counted from 1970 and not from the start of a process, which may restart often. */
function latestInterval(everyMinutes: number, now: Temporal.Instant): Slot {
  const stepMs = everyMinutes * 60_000;
  const startMs = Math.floor(now.epochMilliseconds / stepMs) * stepMs;
  return instantSlot(Temporal.Instant.fromEpochMilliseconds(startMs));
}

function latestDay(timing: Daily, now: Temporal.Instant, timeZone: string): Slot | undefined {
  const today = now.toZonedDateTimeISO(timeZone).toPlainDate();
  // A clock change late in the evening can push yesterday's moment past midnight.
  for (const date of [today, today.subtract({ days: 1 })]) {
    const due = date.toZonedDateTime({ timeZone, plainTime: timing.dailyAt });
    const at = due.toInstant();
    const isOver = Temporal.Instant.compare(at, now) <= 0;
    if (isOver && due.toPlainDate().equals(today)) return { name: date.toString(), at };
  }
}

function latestCronRun(timing: CronLine, now: Temporal.Instant, timeZone: string) {
  // One millisecond later, because a run at the very instant of reference does not count as past.
  const [run] = cronOf(timing.cron, timeZone)
    .previousRuns(1, new Date(now.epochMilliseconds + 1));
  return run && instantSlot(Temporal.Instant.fromEpochMilliseconds(run.getTime()));
}

function instantSlot(at: Temporal.Instant): Slot {
  return { name: at.toString({ smallestUnit: "minute" }), at };
}

/** "no-wildcard" lets `0,30 2 * * *` run once in an overlap too, as cron itself does. */
function cronOf(line: string, timezone: string): Cron {
  return new Cron(line, { timezone, mode: "5-part", fixedTimeRule: "no-wildcard" });
}

function intervalProblem(everyMinutes: number): string | undefined {
  if (Number.isInteger(everyMinutes) && everyMinutes >= 1 && everyMinutes <= WEEK_MINUTES) return;
  return `everyMinutes must be a whole number from 1 to ${WEEK_MINUTES}: it is ${everyMinutes}`;
}

function dailyProblem({ dailyAt }: Daily): string | undefined {
  if (HOUR_AND_MINUTE.test(dailyAt)) return;
  return `dailyAt must be a time such as 09:30: it is "${dailyAt}"`;
}

function cronProblem({ cron }: CronLine): string | undefined {
  try {
    if (cronOf(cron, "UTC").nextRun(new Date(0)) !== null) return;
    return `cron line "${cron}" never falls due`;
  } catch (error) {
    return `cron line "${cron}" cannot be read: ${error instanceof Error ? error.message : error}`;
  }
}
