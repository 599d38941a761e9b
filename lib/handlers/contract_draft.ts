/**
 * The draft of a contract: everything but its number is known and checked, before a number is used up.
 * @module
 */
import { compose } from "../contracts/compose.ts";
import { type ContractData, parseContractData } from "../contracts/data.ts";
import { sellerOf } from "../contracts/seller.ts";
import { checkSigns } from "../contracts/signs.ts";
import { type ContractSettings, templatesOf, vatPercentOf } from "../contracts/settings.ts";
import type { Template } from "../contracts/template.ts";
import { loadTemplate } from "../contracts/templates.ts";
import type { Deal } from "../outside/amocrm/deals.ts";
import type { OwnFields } from "./contract_buyer.ts";
import { contractOf } from "./contract_deal.ts";

/** Stands for the number that is not given out yet. */
export const NO_NUMBER = "—";

/** What can be printed once it has its number. */
export interface Draft {
  readonly template: Template;
  readonly data: ContractData;
}

/**
 * Drafts the contract of a deal for a date. Throws ContractDataError for what the deal lacks, TemplateError for what has to
 * be mended in the template, and PermanentError for settings that are missing.
 */
export async function draftOf(
  deal: Deal,
  { date, templateVersion, settings }: {
    readonly date: string;
    readonly templateVersion: string;
    readonly settings: ContractSettings & { readonly CONTRACT_BUYER_FIELDS: OwnFields };
  },
): Promise<Draft> {
  const template = await loadTemplate(templateVersion, templatesOf(settings));
  const data = parseContractData({
    ...contractOf(deal, {
      timeZone: settings.CONTRACT_TIME_ZONE,
      buyerFields: settings.CONTRACT_BUYER_FIELDS,
    }),
    number: NO_NUMBER,
    date,
    city: settings.CONTRACT_CITY,
    seller: sellerOf(settings),
    vatPercent: vatPercentOf(settings),
  });
  compose(template, data);
  // A print service has fonts of its own.
  if (settings.CONTRACT_PRINT_URL === undefined) checkSigns(template, data);
  return { template, data };
}
