/**
 * The list of all commands.
 * @module
 */
import { Command } from "commander";
import { printable } from "../base/text.ts";
import { version } from "../version.ts";
import { ExitCode } from "./failure.ts";
import { amocrmCommands } from "./groups/amocrm.ts";
import { backupCommands } from "./groups/backup.ts";
import { contractCommands } from "./groups/contract.ts";
import { eventCommands } from "./groups/events.ts";
import { outsideCommands } from "./groups/outside.ts";
import { queueCommands } from "./groups/queue.ts";
import { telegramCommands } from "./groups/telegram.ts";
import { upkeepCommands } from "./groups/upkeep.ts";
import type { Cli } from "./groups/cli.ts";
import type { Host } from "./host.ts";
import { jsonOutput, pageOf, type Render, textOutput } from "./output.ts";

/** Makes the program. `end` is told the exit code of a command that came to its end. */
export function createProgram(host: Host, end: (exitCode: ExitCode) => void): Command {
  const program = new Command("hookwork");
  const command = (usage: string, about: string, parent = program) =>
    parent.command(usage).description(about);
  const show = <T>(value: T, render: Render<T>, exitCode: ExitCode = ExitCode.done) => {
    const { json } = program.opts<{ json?: boolean }>();
    host.write(json ? jsonOutput(value) : textOutput(value, render, pageOf(host)));
    end(exitCode);
  };

  configure(program, host)
    .description("Looks after webhooks and their jobs.")
    .version(`hookwork ${version}`, "-V, --version", "print the version and end")
    .option("--json", "print one JSON document instead of text");

  const cli: Cli = { host, command, show, end };
  queueCommands(cli);
  eventCommands(cli);
  outsideCommands(cli);
  upkeepCommands(cli);
  backupCommands(cli);
  contractCommands(cli);
  amocrmCommands(cli);
  telegramCommands(cli);
  return program;
}

/** Everything goes through the host, and nothing ends the process. Commands take this over. */
function configure(program: Command, host: Host): Command {
  const width = () => Number.isFinite(host.columns) ? host.columns : 100;
  return program.exitOverride().configureHelp({ showGlobalOptions: true }).configureOutput({
    writeOut: (text) => host.write(text),
    writeErr: (text) => host.writeError(printable(text, { lines: true })),
    getOutHelpWidth: width,
    getErrHelpWidth: width,
    getOutHasColors: () => false,
    getErrHasColors: () => false,
  });
}
