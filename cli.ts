/**
 * The operator's entry: runs one command and ends.
 * @module
 */
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

const exitCode = await run(Deno.args, {
  environment: Deno.env.toObject(),
  columns: Deno.stdout.isTerminal() ? Deno.consoleSize().columns : Infinity,
  now: () => new Date(),
  write: (output) => write(Deno.stdout, output),
  writeError: (text) => write(Deno.stderr, text),
});
// A connection that hangs while it is closed must not keep the terminal.
Deno.exit(exitCode);
