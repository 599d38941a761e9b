/**
 * What a webhook of amoCRM or Kommo says, read from its form: every value is a text, and none may be relied on to be there.
 * @module
 */
import { MISSING } from "../base/amocrm.ts";
import type { LeadChange } from "../base/amocrm_tasks.ts";
import {
  formEntries,
  type FormObject,
  formPart,
  formText,
  type FormValue,
} from "../base/php_form.ts";

/** Which account a delivery speaks of. */
export interface BodyAccount {
  readonly id: string;
  readonly subdomain: string;
}

/** The account, which comes last in the body; some deliveries have the subdomain only. */
export function accountOf(form: FormObject): BodyAccount {
  return {
    id: partOf(form.account, "id"),
    subdomain: partOf(form.account, "subdomain").toLowerCase(),
  };
}

/** Whether a body's account is the one that AMOCRM_ACCOUNT names. */
export function isAccount({ id, subdomain }: BodyAccount, account: string): boolean {
  return account === id || account === subdomain;
}

/** All changes of deals: a body may hold several deals, and several kinds of changes. */
export function leadChangesOf(form: FormObject): LeadChange[] {
  return formEntries(form.leads).flatMap(([action, leads]) =>
    formEntries(leads).map(([_, lead]) => ({
      action,
      lead: partOf(lead, "id"),
      pipeline: partOf(lead, "pipeline_id"),
      stage: partOf(lead, "status_id"),
      oldPipeline: partOf(lead, "old_pipeline_id"),
      oldStage: partOf(lead, "old_status_id"),
    }))
  );
}

function partOf(value: FormValue | undefined, name: string): string {
  return formText(formPart(value, name))?.trim() || MISSING;
}
