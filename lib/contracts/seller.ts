/**
 * The seller of all contracts: your own company, whose requisites are settings.
 * @module
 */
import { PermanentError } from "../base/errors.ts";
import { optionalText } from "../base/settings.ts";
import type { SettingValues } from "../setting.ts";
import { checkData, type Party, party } from "./data.ts";

/** The requisites. Whoever makes no contracts needs none, so their absence stops no start. */
export const sellerSettings = {
  CONTRACT_SELLER_NAME: optionalText("Your company's full name with its legal form."),
  CONTRACT_SELLER_INN: optionalText("Your company's INN."),
  CONTRACT_SELLER_KPP: optionalText("Your company's KPP; an entrepreneur has none."),
  CONTRACT_SELLER_OGRN: optionalText("Your company's OGRN or OGRNIP."),
  CONTRACT_SELLER_ADDRESS: optionalText("Your company's address with its postal code."),
  CONTRACT_SELLER_ACCOUNT: optionalText("Your company's bank account."),
  CONTRACT_SELLER_BANK: optionalText("The name and the city of that account's bank."),
  CONTRACT_SELLER_BIK: optionalText("The bank's BIK."),
  CONTRACT_SELLER_CORRESPONDENT_ACCOUNT: optionalText("The bank's correspondent account."),
  CONTRACT_SELLER_PHONE: optionalText("Your company's phone, if contracts are to name it."),
  CONTRACT_SELLER_EMAIL: optionalText("Your company's mail address, if contracts are to name it."),
  CONTRACT_SELLER_POSITION: optionalText("The position of who signs for you."),
  CONTRACT_SELLER_SIGNATORY: optionalText("Who signs for you, as it stands under a signature."),
  CONTRACT_SELLER_REPRESENTED: optionalText(
    "How contracts name who signs for you and by which right, after the words «в лице».",
  ),
};

type SellerSettings = SettingValues<typeof sellerSettings>;

/** Where the value of a variable stands in the data of a party. */
const FIELDS: Readonly<Record<keyof SellerSettings, string>> = {
  CONTRACT_SELLER_NAME: "name",
  CONTRACT_SELLER_INN: "inn",
  CONTRACT_SELLER_KPP: "kpp",
  CONTRACT_SELLER_OGRN: "ogrn",
  CONTRACT_SELLER_ADDRESS: "address",
  CONTRACT_SELLER_ACCOUNT: "account",
  CONTRACT_SELLER_BANK: "bank",
  CONTRACT_SELLER_BIK: "bik",
  CONTRACT_SELLER_CORRESPONDENT_ACCOUNT: "correspondentAccount",
  CONTRACT_SELLER_PHONE: "phone",
  CONTRACT_SELLER_EMAIL: "email",
  CONTRACT_SELLER_POSITION: "signatory.position",
  CONTRACT_SELLER_SIGNATORY: "signatory.name",
  CONTRACT_SELLER_REPRESENTED: "signatory.represented",
};

/** The seller of the settings. Throws PermanentError that names every variable that is missing or mistyped. */
export function sellerOf(settings: SellerSettings): Party {
  const checked = checkData(party, {
    ...valuesUnder("", settings),
    signatory: valuesUnder("signatory.", settings),
  });
  if ("data" in checked) return checked.data;
  const list = checked.problems.map(({ field, problem }) => `${variableOf(field)} ${problem}`);
  throw new PermanentError(
    `Cannot make the contract: ${list.join("; ")}; set it, restart, then retry`,
  );
}

function valuesUnder(prefix: string, settings: SellerSettings): Record<string, string | undefined> {
  const entries = Object.entries(FIELDS).filter(([_, field]) => field.startsWith(prefix));
  return Object.fromEntries(entries.map(([variable, field]) => [
    field.slice(prefix.length),
    settings[variable as keyof SellerSettings],
  ]));
}

function variableOf(field: string): string {
  return Object.entries(FIELDS).find(([_, known]) => known === field)?.[0] ?? field;
}
