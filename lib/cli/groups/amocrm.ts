/**
 * The commands about the account at amoCRM or Kommo.
 * @module
 */
import { reconcile, reconciledExitCode, renderReconciled } from "../commands/amocrm_reconcile.ts";
import * as many from "../many.ts";
import { withApp } from "../open.ts";
import type { Cli } from "./cli.ts";

/** Adds them to the program. */
export function amocrmCommands({ host, command, show }: Cli): void {
  const amocrm = command("amocrm", "look after an account at amoCRM or Kommo");

  command("reconcile", "make the jobs of deals whose webhooks were missed in a time", amocrm)
    .addOption(many.timeOption(host, "--from", "when it began").makeOptionMandatory())
    .addOption(many.timeOption(host, "--to", "when it ended").default(host.now(), "now"))
    .action(async (options) => {
      const value = await withApp(host, (app) => reconcile(app, host, options));
      show(value, renderReconciled, reconciledExitCode(value));
    });
}
