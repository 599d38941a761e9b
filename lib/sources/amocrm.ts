/**
 * amoCRM and Kommo: forms without any signature, proven by the secret end of the address they are sent to.
 * @module
 */
import { amocrmWebhookSecret } from "../base/amocrm.ts";
import { contractRuleSettings, jobsOf, ruleOf } from "../base/amocrm_tasks.ts";
import { bodyKey } from "../base/delivery.ts";
import { type FormObject, parsePhpForm } from "../base/php_form.ts";
import { secretPathProof } from "../base/proof.ts";
import type { Delivery } from "../contract.ts";
import { defineSource } from "../define.ts";
import { accountOf, isAccount, leadChangesOf } from "./amocrm_body.ts";

/** Not documented. A change of 250 deals at once, the most that the API writes, with letters of six bytes each. */
const MAX_BODY_BYTES = 4 * 1024 * 1024;
/** No account has a deal with it: the ids of all accounts are counted together. */
const SAMPLE_LEAD = "1";

/**
 * A deal that comes to the stage "contract" becomes a `prepare_contract`; all else is kept without a job. A delivery has no
 * id, and a repeat the same bytes. One that cannot be read, or is of another account, is kept with that error and answered
 * like the others: after about a hundred other answers amoCRM switches the webhook off.
 */
export const amocrm = defineSource({
  name: "amocrm",
  onlyWith: "AMOCRM_ACCOUNT",
  settings: { ...contractRuleSettings, AMOCRM_WEBHOOK_SECRET: amocrmWebhookSecret },
  create(settings) {
    const { AMOCRM_ACCOUNT: account, AMOCRM_WEBHOOK_SECRET: secrets } = settings;
    const rule = ruleOf(settings);
    return {
      secretHeaders: [],
      secretInPath: true,
      maxBodyBytes: MAX_BODY_BYTES,
      verify: ({ pathSecret }) => secretPathProof(pathSecret, secrets),
      dedupKey: ({ body }) => bodyKey(body),
      route: (delivery) => jobsOf(leadChangesOf(formOf(delivery, account)), rule),
      sample: () => ({
        headers: { "content-type": "application/x-www-form-urlencoded" },
        pathSecret: secrets[0]!,
        body: new URLSearchParams({
          "leads[status][0][id]": SAMPLE_LEAD,
          "leads[status][0][pipeline_id]": rule.pipeline,
          "leads[status][0][status_id]": rule.stage,
          "leads[status][0][sample]": crypto.randomUUID(),
          "account[subdomain]": account,
          "account[id]": account,
        }).toString(),
      }),
    };
  },
});

function formOf({ headers, body }: Delivery, account: string): FormObject {
  const form = parsePhpForm(body, { contentType: headers.get("content-type") });
  const sender = accountOf(form);
  if (isAccount(sender, account)) return form;
  throw new TypeError(
    `Cannot take the delivery: it is of account ${sender.subdomain} (${sender.id}), not of ${account}; ` +
      "mend AMOCRM_ACCOUNT, or take the webhook out of the other account",
  );
}
