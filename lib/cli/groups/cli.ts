/**
 * What commands are made with.
 * @module
 */
import type { Command } from "commander";
import type { ExitCode } from "../failure.ts";
import type { Host } from "../host.ts";
import type { Render } from "../output.ts";

/** What a group of commands is made with. */
export interface Cli {
  readonly host: Host;
  /** Adds a command to the program, or to another command. */
  command(usage: string, about: string, parent?: Command): Command;
  /** Writes what a command came to, as text or JSON, and ends with its exit code. */
  show<T>(value: T, render: Render<T>, exitCode?: ExitCode): void;
  /** Is told the exit code of a command that has written its output itself. */
  end(exitCode: ExitCode): void;
}
