/**
 * Ends a process whose event loop stands still: what has stopped cannot end itself, so a thread beside it does.
 * @module
 */
import { createLog, type LogOptions } from "./log.ts";

/** After so many beats that did not come the loop counts as standing still. */
const MISSED_BEATS = 10;
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

type Message = { began: string; what: string } | { ended: string } | "beat";

/** Starts the thread. The process gets SIGKILL after one line on standard error when its loop stands still. */
export function startWatchdog(options: WatchdogOptions): Watchdog {
  const beatMs = options.stallSeconds * 1000 / MISSED_BEATS;
  const thread = startThread({ beatMs, MISSED_BEATS, TIME, RUNNING, line: stallLine(options) });
  const tell = (message: Message) => thread.postMessage(message);
  const beating = setInterval(() => tell("beat"), beatMs);
  return {
    // Told at once: a handler may stop the loop before it first awaits.
    began: (id, what) => tell({ began: id, what }),
    ended: (id) => tell({ ended: id }),
    [Symbol.dispose]() {
      clearInterval(beating);
      thread.terminate();
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
  TIME: string;
  RUNNING: string;
  line: string;
}): void {
  const { beatMs, MISSED_BEATS, TIME, RUNNING, line } = options;
  const running = new Map<string, string>();
  let missed = 0;
  globalThis.addEventListener("message", (event) => {
    const message: Message = (event as MessageEvent).data;
    missed = 0;
    if (message === "beat") return;
    if ("began" in message) running.set(message.began, message.what);
    else running.delete(message.ended);
  });
  setInterval(() => {
    missed++;
    if (missed < MISSED_BEATS) return;
    const named = [...running].map(([id, what]) => `${id} ${what}`).join(", ") || "nothing known";
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
