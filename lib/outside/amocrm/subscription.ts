/**
 * Whether amoCRM sends its webhooks here, and all that tasks are made of: the judgement alone, without a call.
 * @module
 */
import { amocrmEvents } from "../../base/amocrm_tasks.ts";
import { hookPath, shownPath } from "../../base/hook_path.ts";
import type { Webhook } from "./webhooks.ts";

/** A subscription as it is shown: no secret of ours is in it. */
export interface JudgedWebhook {
  readonly id: string;
  /** `***` stands for what follows the name of a source. */
  readonly destination: string;
  /** Foreign: its address has no secret of ours. That is none of our business, and allowed. */
  readonly is: "ours" | "ours, with an old secret" | "foreign";
  readonly isDisabled: boolean;
  /** What tasks are made of, and does not come. */
  readonly missing: readonly string[];
  /** What comes, and no task is made of. */
  readonly superfluous: readonly string[];
}

/** How the account's subscriptions stand. */
export interface Subscription {
  readonly webhooks: readonly JudgedWebhook[];
  /** Why webhooks are lost; undefined while all that is needed comes. */
  readonly lost: string | undefined;
  /** What else is to be mended, one sentence each. */
  readonly faults: readonly string[];
}

/** Judges what the account has; the secrets are those of AMOCRM_WEBHOOK_SECRET, the present one first. */
export function judgeWebhooks(
  webhooks: readonly Webhook[],
  secrets: readonly string[],
): Subscription {
  const judged = webhooks.map((webhook) => judgeWebhook(webhook, secrets));
  const ours = judged.filter(({ is }) => is !== "foreign");
  const come = ours.filter(({ isDisabled }) => !isDisabled);
  // Two of ours may share the events between them.
  const missing = amocrmEvents.filter((event) =>
    come.every((hook) => hook.missing.includes(event))
  );
  return { webhooks: judged, lost: whyLost(ours, come, missing), faults: ours.flatMap(faultsOf) };
}

function judgeWebhook(webhook: Webhook, secrets: readonly string[]): JudgedWebhook {
  const { id, destination, isDisabled, events } = webhook;
  const index = secrets.findIndex((secret) => isOurs(destination, secret));
  const is = index === -1 ? "foreign" : index === 0 ? "ours" : "ours, with an old secret";
  return {
    id,
    destination: shownPath(destination),
    is,
    isDisabled,
    missing: is === "foreign" ? [] : amocrmEvents.filter((event) => !events.includes(event)),
    superfluous: is === "foreign" ? [] : events.filter((event) => !amocrmEvents.includes(event)),
  };
}

/** The host is not compared: a receiver does not know by which name it is reached. */
function isOurs(destination: string, secret: string): boolean {
  return URL.parse(destination)?.pathname.endsWith(`/${hookPath("amocrm", secret)}`) ?? false;
}

function whyLost(
  ours: readonly JudgedWebhook[],
  come: readonly JudgedWebhook[],
  missing: readonly string[],
): string | undefined {
  if (ours.length === 0) return "no webhook of amoCRM points here";
  if (come.length === 0) return "the webhook of amoCRM is switched off";
  return missing.length > 0
    ? `the webhook of amoCRM is not subscribed to ${missing.join(", ")}`
    : undefined;
}

function faultsOf({ is, id, superfluous, isDisabled, missing }: JudgedWebhook): string[] {
  const named = `webhook ${id}`;
  return [
    ...(isDisabled ? [`${named} is switched off`] : []),
    ...(missing.length > 0 ? [`${named} is not subscribed to ${missing.join(", ")}`] : []),
    ...(superfluous.length > 0
      ? [`${named} is subscribed to ${superfluous.join(", ")}, of which no task is made`]
      : []),
    ...(is === "ours, with an old secret" ? [`${named} still has the old secret`] : []),
  ];
}
