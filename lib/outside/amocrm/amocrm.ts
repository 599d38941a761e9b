/**
 * The client of an account at amoCRM or Kommo.
 * @module
 */
import { defineClient } from "../../define.ts";
import { createApi } from "./api.ts";
import { type Deal, readCompany, readContact, readDeal, readLead } from "./deals.ts";
import type { Company, Contact, Lead } from "./entities.ts";
import { amocrmSettings } from "./settings.ts";

/** The account. */
export interface AmoCrm {
  /** The deal; undefined when it is not there: deleted, merged, or hidden from the token's user. */
  lead(id: string): Promise<Lead | undefined>;
  contact(id: string): Promise<Contact | undefined>;
  company(id: string): Promise<Company | undefined>;
  /** The deal with its main contact, its company and its items; undefined as above. Three calls and one for each catalog. */
  deal(id: string): Promise<Deal | undefined>;
  /**
   * Renews the token ahead of time; a long-lived one stays as it is. When access will end if nobody does anything, if that is
   * known. PermanentError when only an administrator's new consent helps, while calls may still work.
   */
  renewToken(): Promise<Date | undefined>;
}

/** The account of AMOCRM_URL. */
export const amocrm = defineClient({
  settings: amocrmSettings,
  create(settings, context): AmoCrm {
    const api = createApi(settings, context);
    return {
      lead: (id) => readLead(api, id),
      contact: (id) => readContact(api, id),
      company: (id) => readCompany(api, id),
      deal: (id) => readDeal(api, id),
      renewToken: () => api.tokens.renew(),
    };
  },
});
