/**
 * Runs one command line to its exit code.
 * @module
 */
import { CommanderError } from "commander";
import { ConfigError } from "../base/errors.ts";
import { printable } from "../base/text.ts";
import { ExitCode, explainFailure } from "./failure.ts";
import type { Host } from "./host.ts";
import { redactorOf } from "./open.ts";
import { createProgram } from "./program.ts";

/**
 * Runs a command line, without the program's name. Never throws: what goes wrong is said on the host's
 * standard error, without secrets.
 */
export async function run(args: readonly string[], host: Host): Promise<ExitCode> {
  let exitCode: ExitCode = ExitCode.done;
  try {
    const program = createProgram(host, (code) => exitCode = code);
    await program.parseAsync(args, { from: "user" });
    return exitCode;
  } catch (error) {
    // Commander has said already what it does not understand, or printed the help that was asked for.
    if (error instanceof CommanderError) {
      return error.exitCode === 0 ? ExitCode.done : ExitCode.usage;
    }
    const failure = explainFailure(error);
    host.writeError(`${printable(redacted(host, failure.text), { lines: true })}\n`);
    return failure.exitCode;
  }
}

/** Where two parts define one setting differently nothing is known to be secret, and nothing was read either. */
function redacted(host: Host, text: string): string {
  try {
    return redactorOf(host)(text);
  } catch (error) {
    if (error instanceof ConfigError) return text;
    throw error;
  }
}
