/**
 * Sends what the table of alerts holds, one message a topic, and forgets a count only when it was told.
 * @module
 */
import type { App } from "../app.ts";
import { retryAfterSeconds } from "../base/backoff.ts";
import { cutText, storableText } from "../base/text.ts";
import type { AlertOutcome } from "../contract.ts";
import {
  type DueAlert,
  markAlertSent,
  postponeAlert,
  takeDueAlerts,
  TOPIC_PAUSE_SECONDS,
} from "../db/alerts.ts";

const HOUR = 3600;
/** The details are in the CLI; a message shall be readable on a phone. */
const TEXT_LENGTH = 1500;

/**
 * Sends all alerts that are due, each taken right before it is sent: a slow Telegram must not use up the minute of those behind it.
 * Throws only when the database cannot be used.
 */
export async function sendDueAlerts(app: App): Promise<void> {
  for (;;) {
    const [alert] = await takeDueAlerts(app.db, 1);
    if (!alert) return;
    await sendAlert(app, alert);
  }
}

async function sendAlert(app: App, alert: DueAlert): Promise<void> {
  // Redacted before it is cut: half a secret is not recognised.
  const shown = { ...alert, text: app.redact(alert.text) };
  const outcome = await app.alerts.alert(composeAlert(shown, app.config.SHADOW_KINDS));
  if (outcome.is === "sent") return await markAlertSent(app.db, alert);
  app.log.error("an alert did not reach a human", { topic: alert.topic, why: outcome.why });
  const { topic, tries } = alert;
  const why = storableText(app.redact(outcome.why), TEXT_LENGTH);
  await postponeAlert(app.db, { topic, tries, why, ...afterFailure(alert, outcome) });
}

/** The text of a message: what happened, how often, and a line by which a repeat is known; marked for kinds in shadow. */
export function composeAlert(
  alert: Omit<DueAlert, "tries">,
  shadowKinds: readonly string[] = [],
): string {
  const since = alert.firstAt.toISOString().slice(0, 19).replace("T", " ");
  const more = alert.pending > 1 ? `\n${alert.pending} times since ${since} UTC` : "";
  const repeat = alert.unconfirmed > 0 ? "\n(repeat: an earlier copy may have arrived)" : "";
  return `Hookwork${isShadow(alert.topic, shadowKinds) ? " (shadow)" : ""}: ${
    cutText(alert.text, TEXT_LENGTH)
  }${more}\n[${alert.topic}, ${since}]${repeat}`;
}

/** Topics of jobs are their kind and a reason; no other topic has two words. */
function isShadow(topic: string, shadowKinds: readonly string[]): boolean {
  const [kind, ...reason] = topic.split(" ");
  return reason.length === 1 && shadowKinds.includes(kind!);
}

/**
 * When to send again what did not arrive. A refusal needs a human, so it is only tried again each hour. What may have arrived
 * is repeated once after a minute, then ever more seldom: copies annoy, but silence looks like peace.
 */
export function afterFailure(
  alert: Pick<DueAlert, "unconfirmed">,
  outcome: Exclude<AlertOutcome, { is: "sent" }>,
): { seconds: number; unconfirmed: number } {
  switch (outcome.is) {
    case "refused":
      return { seconds: HOUR, unconfirmed: alert.unconfirmed };
    case "failed": {
      const asked = outcome.retryAfterSeconds;
      const seconds = asked === undefined ? TOPIC_PAUSE_SECONDS : retryAfterSeconds(asked);
      return { seconds: Math.max(TOPIC_PAUSE_SECONDS, seconds), unconfirmed: alert.unconfirmed };
    }
    case "unknown": {
      const unconfirmed = alert.unconfirmed + 1;
      return {
        seconds: [TOPIC_PAUSE_SECONDS, HOUR, 24 * HOUR][Math.min(unconfirmed, 3) - 1]!,
        unconfirmed,
      };
    }
  }
}
