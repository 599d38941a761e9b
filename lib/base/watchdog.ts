/**
 * Ends a process whose event loop stands still: what has stopped cannot end itself, so a thread beside it does.
 * @module
 */
import { createLog, type LogOptions } from "./log.ts";

/** After so many beats that did not come the loop counts as standing still. */
const MISSED_BEATS = 10;
/** How many things can be named at once; one that begins beyond that is not. */
const NAMES = 1024;
/** The room for each; longer ones are cut. */
const NAME_BYTES = 128;
/** Where the thread fills in what only it knows when it speaks: the time, and what was running. */
const TIME = new Date(0).toISOString();
const RUNNING = "<running>";

/** What a watchdog needs. */
export interface WatchdogOptions extends Pick<LogOptions, "format" | "redact"> {
  /** How long the event loop may stand still, give or take a tenth. */
  readonly stallSeconds: number;
  /** The process, as its log lines name it. */
  readonly process: string;
}

/** Watches until it is disposed of; until then its thread keeps the process from ending by itself. */
export interface Watchdog extends Disposable {
  /** Something begins that may stop the loop: it is named in the log line if it does. */
  began(id: string, what: string): void;
  /** It has ended, so it is named no more. */
  ended(id: string): void;
}

/** Starts the thread. The process gets SIGKILL after one line on standard error when its loop stands still. */
export function startWatchdog(options: WatchdogOptions): Watchdog {
  const beatMs = options.stallSeconds * 1000 / MISSED_BEATS;
  const names = createNames();
  const thread = startThread({
    beatMs,
    MISSED_BEATS,
    NAME_BYTES,
    TIME,
    RUNNING,
    line: stallLine(options),
  });
  thread.postMessage(names.shared);
  const beating = setInterval(() => thread.postMessage("beat"), beatMs);
  return {
    began: names.add,
    ended: names.remove,
    [Symbol.dispose]() {
      clearInterval(beating);
      thread.terminate();
    },
  };
}

/**
 * What is running, in memory that the thread can read: a handler may stop the loop before it first awaits, and a message for each
 * begin and end would cost more than a short job does. A name ends at its first zero; what begins with one is free.
 */
function createNames() {
  const shared = new SharedArrayBuffer(NAMES * NAME_BYTES);
  const free = Array.from(
    { length: NAMES },
    (_, place) => new Uint8Array(shared, place * NAME_BYTES, NAME_BYTES),
  );
  const used = new Map<string, Uint8Array<SharedArrayBuffer>>();
  const encoder = new TextEncoder();
  return {
    shared,
    add(id: string, what: string) {
      const name = used.get(id) ?? free.pop();
      if (!name) return;
      used.set(id, name);
      const { written } = encoder.encodeInto(`${id} ${what}`, name);
      name.fill(0, written);
    },
    remove(id: string) {
      const name = used.get(id);
      if (!name) return;
      used.delete(id);
      name[0] = 0;
      free.push(name);
    },
  };
}

type ThreadOptions = Parameters<typeof watch>[0];

/** As a data URL: a file would need the permission to read it, and a place inside a compiled program. */
function startThread(options: ThreadOptions): Worker {
  const program = `(${watch})(${JSON.stringify(options)})`;
  return new Worker(`data:text/javascript,${encodeURIComponent(program)}`, { type: "module" });
}

/**
 * The thread's program. It is handed over as text, so it uses nothing from outside of itself.
 *
 * It counts its own ticks and reads no clock: while the machine sleeps or the process is stopped, the thread stands still
 * as well, and that is no stall.
 */
function watch(options: {
  beatMs: number;
  MISSED_BEATS: number;
  NAME_BYTES: number;
  TIME: string;
  RUNNING: string;
  line: string;
}): void {
  const { beatMs, MISSED_BEATS, NAME_BYTES, TIME, RUNNING, line } = options;
  let names: Uint8Array = new Uint8Array();
  let missed = 0;
  globalThis.addEventListener("message", (event) => {
    const message: "beat" | SharedArrayBuffer = (event as MessageEvent).data;
    missed = 0;
    if (message !== "beat") names = new Uint8Array(message);
  });
  const nameAt = (start: number) => {
    // A copy: a decoder takes no shared memory.
    const name = new Uint8Array(names.subarray(start, start + NAME_BYTES));
    const end = name.indexOf(0);
    return new TextDecoder().decode(end < 0 ? name : name.subarray(0, end));
  };
  setInterval(() => {
    missed++;
    if (missed < MISSED_BEATS) return;
    const places = Array.from({ length: names.length / NAME_BYTES }, (_, place) => place);
    const running = places.map((place) => nameAt(place * NAME_BYTES)).filter((name) => name !== "")
      .sort((one, other) => one.localeCompare(other, "en", { numeric: true }));
    const named = running.join(", ") || "nothing known";
    // deno-lint-ignore no-console -- the log belongs to the thread that stands still
    console.error(line.replace(TIME, new Date().toISOString()).replace(RUNNING, () => named));
    Deno.kill(Deno.pid, "SIGKILL");
  }, beatMs);
}

/** The thread has no log of its own, so the line is rendered beforehand. */
function stallLine({ format, redact, process, stallSeconds }: WatchdogOptions): string {
  let line = "";
  const log = createLog({
    format,
    redact,
    level: "error",
    now: () => 0,
    write: (text) => void (line = text),
  });
  const about = { process, seconds: stallSeconds, running: RUNNING };
  log.error("the event loop stands still, so this process is ended", about);
  return line;
}
