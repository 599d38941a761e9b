/**
 * The operator's entry: runs one command and ends.
 * @module
 */
import { settingsOfServer } from "./lib/cli/environment.ts";
import { run } from "./lib/cli/run.ts";

const encoder = new TextEncoder();

/** Writes all of it, at once: nothing is left to be written when the process ends. */
function write(stream: typeof Deno.stdout | typeof Deno.stderr, output: string | Uint8Array): void {
  const bytes = typeof output === "string" ? encoder.encode(output) : output;
  try {
    for (let sent = 0; sent < bytes.length;) sent += stream.writeSync(bytes.subarray(sent));
  } catch (error) {
    // Whoever reads has seen enough, as `head` has.
    if (!(error instanceof Deno.errors.BrokenPipe)) throw error;
  }
}

/** Asks on standard error: the answer to the command itself may go to a file. */
function confirm(question: string): boolean | undefined {
  if (!Deno.stdin.isTerminal() || !Deno.stderr.isTerminal()) return undefined;
  write(Deno.stderr, `${question} [y/N] `);
  const answer = new Uint8Array(100);
  const length = Deno.stdin.readSync(answer) ?? 0;
  return /^y(es)?$/i.test(new TextDecoder().decode(answer.subarray(0, length)).trim());
}

async function interruptible<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const stop = () => controller.abort();
  const names = ["SIGINT", "SIGTERM"] as const;
  names.forEach((name) => Deno.addSignalListener(name, stop));
  try {
    return await work(controller.signal);
  } finally {
    names.forEach((name) => Deno.removeSignalListener(name, stop));
  }
}

const exitCode = await run(Deno.args, {
  get environment() {
    return settingsOfServer(Deno.env.toObject());
  },
  columns: Deno.stdout.isTerminal() ? Deno.consoleSize().columns : Infinity,
  now: () => new Date(),
  write: (output) => write(Deno.stdout, output),
  writeError: (text) => write(Deno.stderr, text),
  confirm,
  interruptible,
});
// A connection that hangs while it is closed must not keep the terminal.
Deno.exit(exitCode);
