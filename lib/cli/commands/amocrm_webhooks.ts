/**
 * `hookwork amocrm webhooks`, `subscribe` and `unsubscribe`: where the account sends its webhooks. For administrators only.
 * @module
 */
import type { App } from "../../app.ts";
import { amocrmWebhookSecret } from "../../base/amocrm.ts";
import { amocrmEvents } from "../../base/amocrm_tasks.ts";
import { settingsOf } from "../../base/config.ts";
import { RefusedError } from "../../base/errors.ts";
import { shownPath } from "../../base/hook_path.ts";
import { beginGap, endGap } from "../../db/gaps.ts";
import type { AmoCrm } from "../../outside/amocrm/amocrm.ts";
import {
  type JudgedWebhook,
  judgeWebhooks,
  type Subscription,
} from "../../outside/amocrm/subscription.ts";
import { openAmocrm } from "../amocrm.ts";
import { ExitCode } from "../failure.ts";
import type { Page } from "../output.ts";
import { renderTable } from "../table.ts";

const SOURCE = "amocrm";

interface Account {
  readonly app: App;
  readonly amocrm: AmoCrm;
  readonly secrets: readonly string[];
}

/** Asks amoCRM how the subscriptions stand. Changes nothing. */
export async function webhooks(app: App): Promise<Subscription> {
  const { amocrm, secrets } = accountOf(app);
  return judgeWebhooks(await amocrm.webhooks(), secrets);
}

/**
 * Sets the subscription of an address right, whatever it is at: present, enabled, with the events of the table and no others.
 * What was lost until then is noted as a gap, which is over once amoCRM has confirmed it.
 */
export async function subscribe(app: App, url: string): Promise<Subscription> {
  const account = accountOf(app);
  const { amocrm, secrets } = account;
  const destination = `${url.replace(/\/+$/, "")}/${secrets[0]}`;
  await noteGap(account);
  await amocrm.subscribe(destination, amocrmEvents);
  if (!await isEnabled(amocrm, destination)) {
    // Whether subscribing anew enables is not documented; a new subscription is enabled.
    await amocrm.unsubscribe(destination);
    await amocrm.subscribe(destination, amocrmEvents);
  }
  if (await isEnabled(amocrm, destination)) return await noteGap(account);
  throw new RefusedError(
    "Cannot subscribe the webhook: amoCRM took it, but does not list it as enabled; let an administrator enable it in the settings",
  );
}

/** Ends a subscription, ours or another's, named by its id or its address. Webhooks that are lost from now on are a gap. */
export async function unsubscribe(app: App, destination: string): Promise<Subscription> {
  const account = accountOf(app);
  const found = await account.amocrm.webhooks();
  const chosen = found.filter((hook) =>
    [hook.id, hook.destination, shownPath(hook.destination)].includes(destination)
  );
  const [webhook, ...more] = chosen;
  if (webhook === undefined || more.length > 0) {
    const why = webhook === undefined ? "no webhook has it" : "several webhooks have it";
    throw new RefusedError(
      `Cannot end the webhook: ${why}; name an id that \`hookwork amocrm webhooks\` lists`,
    );
  }
  await account.amocrm.unsubscribe(webhook.destination);
  return await noteGap(account);
}

/** Asks how it stands, and writes down whether webhooks are lost. */
async function noteGap({ app, amocrm, secrets }: Account): Promise<Subscription> {
  const subscription = judgeWebhooks(await amocrm.webhooks(), secrets);
  if (subscription.lost === undefined) await endGap(app.db, SOURCE);
  else await beginGap(app.db, SOURCE, subscription.lost);
  return subscription;
}

function accountOf(app: App): Account {
  const amocrm = openAmocrm(app, new AbortController().signal);
  const settings = { AMOCRM_WEBHOOK_SECRET: amocrmWebhookSecret };
  return { app, amocrm, secrets: settingsOf(app.config, settings).AMOCRM_WEBHOOK_SECRET };
}

async function isEnabled(amocrm: AmoCrm, destination: string): Promise<boolean> {
  const found = await amocrm.webhooks();
  return found.some((hook) => hook.destination === destination && !hook.isDisabled);
}

/** The verdict first, then what it rests on. */
export function renderSubscription({ webhooks, lost, faults }: Subscription, page: Page): string {
  const problems = lost !== undefined && faults.length === 0 ? [lost] : faults;
  return [
    lost === undefined
      ? "All that contracts need comes here."
      : `Not well: ${lost}. See \`hookwork amocrm subscribe --help\`.`,
    ...problems.filter((problem) => problem !== lost).map((problem) => `To be mended: ${problem}`),
    ...(webhooks.length === 0 ? [] : ["", renderWebhooks(webhooks, page)]),
  ].join("\n");
}

function renderWebhooks(webhooks: readonly JudgedWebhook[], page: Page): string {
  return renderTable(webhooks, [
    { title: "ID", cell: ({ id }) => id },
    { title: "DESTINATION", cell: ({ destination }) => destination, flexible: true },
    { title: "WHOSE", cell: ({ is }) => is },
    { title: "IS", cell: ({ isDisabled }) => isDisabled ? "switched off" : "enabled" },
    { title: "MISSING", cell: ({ missing }) => missing.join(", ") || null, flexible: true },
    {
      title: "SUPERFLUOUS",
      cell: ({ superfluous }) => superfluous.join(", ") || null,
      flexible: true,
    },
  ], page.columns);
}

/** It is a failure when anything is to be mended. */
export function subscriptionExitCode({ lost, faults }: Subscription): ExitCode {
  return lost === undefined && faults.length === 0 ? ExitCode.done : ExitCode.failed;
}
