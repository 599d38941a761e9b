/**
 * The commands about the account at amoCRM or Kommo.
 * @module
 */
import { reconcile, reconciledExitCode, renderReconciled } from "../commands/amocrm_reconcile.ts";
import {
  renderSubscription,
  subscribe,
  subscriptionExitCode,
  unsubscribe,
  webhooks,
} from "../commands/amocrm_webhooks.ts";
import * as parse from "../arguments.ts";
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

  command(
    "webhooks",
    "tell whether the account's webhooks come here, with all that is needed",
    amocrm,
  )
    .action(async () => {
      const value = await withApp(host, webhooks);
      show(value, renderSubscription, subscriptionExitCode(value));
    });

  command("subscribe", "have the account's webhooks sent to this receiver", amocrm)
    .argument(
      "<url>",
      "https://<your domain>/hooks/amocrm, without the secret",
      parse.parseAmocrmHookUrl,
    )
    .action(async (url) =>
      show(await withApp(host, (app) => subscribe(app, url)), renderSubscription)
    );

  command("unsubscribe", "end a webhook of the account", amocrm)
    .argument("<destination>", "its address, or its id, as `hookwork amocrm webhooks` lists them")
    .action(async (destination) =>
      show(await withApp(host, (app) => unsubscribe(app, destination)), renderSubscription)
    );
}
