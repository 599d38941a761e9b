/**
 * Log lines: JSON for machines, text for people. No line ends a process, and none shows a secret.
 * @module
 */
import {
  getJsonLinesFormatter,
  getTextFormatter,
  type LogRecord,
  type TextFormatter,
} from "@logtape/logtape";
import type { Log } from "../contract.ts";
import { describeError } from "./errors.ts";
import { printable } from "./text.ts";

/** How important a line is, from the least to the most. */
export type LogLevel = "debug" | "info" | "warn" | "error";

/** What a log needs. */
export interface LogOptions {
  readonly format: "json" | "text";
  /** Lines less important than this are dropped. */
  readonly level: LogLevel;
  /** Hides the secrets of a line. */
  redact(text: string): string;
  /** Takes one line without its line end; writes to standard error when absent. */
  write?(line: string): void;
  /** Milliseconds since 1970; the system's clock when absent. */
  now?(): number;
}

type Properties = Record<string, unknown>;

const LEVELS: readonly LogLevel[] = ["debug", "info", "warn", "error"];
/** The fields of a JSON line that no property may replace. */
const RESERVED = new Set(["@timestamp", "level", "message", "logger"]);

const formatJson = getJsonLinesFormatter({ properties: "flatten" });
const formatText = getTextFormatter({
  timestamp: "rfc3339",
  sanitize: false,
  format: ({ timestamp, level, message, record }) =>
    `${timestamp} [${level}] ${message}${describeAll(record.properties)}`,
});

/**
 * Makes a log. A JSON line has the fields `@timestamp`, `level`, `message`, `logger` and the
 * properties beside them; a property with one of those names gets an underscore at its end.
 */
export function createLog(options: LogOptions): Log {
  const { format, level, redact, write = writeToStandardError, now = Date.now } = options;
  const render = format === "json" ? formatJson : formatText;

  function writeLine(lineLevel: LogLevel, message: string, properties: readonly Properties[]) {
    const record = recordOf(lineLevel, message, now());
    const text = renderSafely(render, record, properties).trimEnd();
    // Controls last: the redactor must see the text as it was.
    write(printable(redact(text), { lines: true }));
  }

  function withProperties(shared: readonly Properties[]): Log {
    const at = (lineLevel: LogLevel) => (message: string, properties: Properties = {}) => {
      const isDropped = LEVELS.indexOf(lineLevel) < LEVELS.indexOf(level);
      if (!isDropped) writeLine(lineLevel, message, [...shared, properties]);
    };
    return {
      debug: at("debug"),
      info: at("info"),
      warn: at("warn"),
      error: at("error"),
      with: (properties) => withProperties([...shared, properties]),
    };
  }

  return withProperties([]);
}

function recordOf(
  level: LogLevel,
  message: string,
  timestamp: number,
): Omit<LogRecord, "properties"> {
  return {
    category: ["hookwork"],
    level: level === "warn" ? "warning" : level,
    message: [message],
    rawMessage: message,
    timestamp,
  };
}

/** A value that throws while it is read costs the line its form, never its content or the caller. */
function renderSafely(
  render: TextFormatter,
  record: Omit<LogRecord, "properties">,
  properties: readonly Properties[],
): string {
  try {
    return render({ ...record, properties: fieldsOf(properties, (read) => read()) });
  } catch {
    return render({ ...record, properties: fieldsOf(properties, describeSafely) });
  }
}

/** The fields of a line; later properties win. */
function fieldsOf(properties: readonly Properties[], show: (read: () => unknown) => unknown) {
  const fields: Properties = {};
  for (const part of properties) {
    for (const name of Object.keys(part)) {
      fields[RESERVED.has(name) ? `${name}_` : name] = show(() => part[name]);
    }
  }
  return fields;
}

function describeSafely(read: () => unknown): string {
  try {
    return describe(read());
  } catch (error) {
    return `cannot be shown: ${describeError(error)}`;
  }
}

function describeAll(properties: Properties): string {
  return Object.entries(properties).map(([name, value]) => ` ${name}=${describe(value)}`).join("");
}

function describe(value: unknown): string {
  return typeof value === "string" ? value : Deno.inspect(value);
}

function writeToStandardError(line: string): void {
  // deno-lint-ignore no-console -- the one place that writes log lines
  console.error(line);
}
