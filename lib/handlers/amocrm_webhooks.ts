/**
 * Looks once a day whether amoCRM still sends its webhooks here: an empty queue looks as healthy without them.
 * @module
 */
import { z } from "zod";
import { amocrmWebhookSecret } from "../base/amocrm.ts";
import { PermanentError } from "../base/errors.ts";
import { defineHandler } from "../define.ts";
import { amocrm } from "../outside/amocrm/amocrm.ts";
import { LANE } from "../outside/amocrm/settings.ts";
import { judgeWebhooks } from "../outside/amocrm/subscription.ts";

/**
 * `amocrm.webhooks`: fails, and so a human is told, when the subscription is not as the table of tasks needs it, or when the
 * token is no administrator's. While webhooks are lost, that is noted as a gap.
 */
export const amocrmWebhooks = defineHandler({
  kind: "amocrm.webhooks",
  onlyWith: "AMOCRM_ACCOUNT",
  payload: z.object({ slot: z.string(), late: z.boolean() }),
  settings: { AMOCRM_WEBHOOK_SECRET: amocrmWebhookSecret },
  clients: { amocrm },
  lane: LANE,
  async run(_, { clients, gaps, settings }) {
    const found = await clients.amocrm.webhooks();
    const { lost, faults } = judgeWebhooks(found, settings.AMOCRM_WEBHOOK_SECRET);
    if (lost === undefined) await gaps.end("amocrm");
    else await gaps.begin("amocrm", lost);
    const problems = faults.length > 0 || lost === undefined ? faults : [lost];
    if (problems.length === 0) return { result: "the webhook is as it should be" };
    throw new PermanentError(
      `The webhook of amoCRM is not as it should be: ${problems.join("; ")}; ` +
        "see `hookwork amocrm webhooks`, and set it right by `hookwork amocrm subscribe`",
    );
  },
});
