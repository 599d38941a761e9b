/**
 * How a command's value reaches the terminal: as text for people, or as one JSON document.
 * @module
 */
import { isTimeZone } from "../base/slot.ts";
import { printable } from "../base/text.ts";
import type { Host } from "./host.ts";
import { formatTime } from "./time.ts";

/** What a rendering may know of where it is read. */
export interface Page {
  /** Characters of one line; Infinity when nobody's terminal ends. */
  readonly columns: number;
  readonly now: Date;
  /** An instant in the time zone of TZ. */
  time(instant: Date): string;
}

/** Turns a command's value into text for people. */
export type Render<T> = (value: T, page: Page) => string;

/** The time zone of a host. A TZ that is none is for the configuration to refuse. */
export function timeZoneOf({ environment: { TZ = "UTC" } }: Pick<Host, "environment">): string {
  return isTimeZone(TZ) ? TZ : "UTC";
}

/** The page of a host. */
export function pageOf(host: Host): Page {
  const timeZone = timeZoneOf(host);
  return {
    columns: host.columns,
    now: host.now(),
    time: (instant) => formatTime(instant, timeZone),
  };
}

/** Text for people. Whatever would steer the terminal is shown instead, wherever it came from. */
export function textOutput<T>(value: T, render: Render<T>, page: Page): string {
  return `${printable(render(value, page), { lines: true })}\n`;
}

/** One JSON document: ids as strings, instants as ISO 8601 in UTC, controls as escapes. */
export function jsonOutput(value: unknown): string {
  return `${printable(JSON.stringify(value, null, 2), { lines: true })}\n`;
}
