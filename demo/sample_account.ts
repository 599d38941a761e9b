/**
 * What the fake amoCRM holds in the demo: a pipeline, and deals with all that a contract needs; and the seller's own settings.
 * Every name and number is made up; the check digits fit.
 * @module
 */
import { amocrmEvents } from "../lib/base/amocrm_tasks.ts";
import type { FieldValue, Lead } from "./fake_amocrm/entities.ts";
import { type Amocrm, type AmocrmOptions, startAmocrm } from "./fake_amocrm/server.ts";

/** The pipeline of the demo's deals. */
export const PIPELINE = 7_300_118;
/** Its stages: where a deal begins, and where it gets a contract. */
export const STAGE = { new: 61_200_301, contract: 61_200_305 };

/** The settings of the company that sells. */
export const SELLER: Readonly<Record<string, string>> = {
  CONTRACT_CITY: "Москва",
  CONTRACT_VAT_PERCENT: "22",
  CONTRACT_SELLER_NAME: "ООО «Пример-Поставка»",
  CONTRACT_SELLER_INN: "7700000009",
  CONTRACT_SELLER_KPP: "770001001",
  CONTRACT_SELLER_OGRN: "1027700000008",
  CONTRACT_SELLER_ADDRESS: "101000, г. Москва, ул. Образцовая, д. 1",
  CONTRACT_SELLER_ACCOUNT: "40702810000000000001",
  CONTRACT_SELLER_BANK: "АО «Банк-Образец», г. Москва",
  CONTRACT_SELLER_BIK: "044525000",
  CONTRACT_SELLER_CORRESPONDENT_ACCOUNT: "30101810000000000000",
  CONTRACT_SELLER_POSITION: "Генеральный директор",
  CONTRACT_SELLER_SIGNATORY: "И. О. Фамилия",
  CONTRACT_SELLER_REPRESENTED:
    "генерального директора Фамилии И. О., действующего на основании Устава",
};

const REQUISITES: Readonly<Record<string, string>> = {
  "ИНН": "7700000016",
  "КПП": "770001002",
  "ОГРН": "1027700000019",
  "Юридический адрес": "142000, г. Образцово, Промышленный пр-д, д. 7",
  "Расчётный счёт": "40702810000000000002",
  "Банк": "АО «Банк-Образец», г. Москва",
  "БИК": "044525000",
  "Корр. счёт": "30101810000000000000",
  "Должность подписанта": "Директор",
  "Подписант": "И. О. Фамилия",
  "В лице": "директора Фамилии И. О., действующего на основании Устава",
};
const TERMS: Readonly<Record<string, string>> = {
  "Порядок оплаты": "предоплата 50 %",
  "Срок поставки": "20 рабочих дней",
  "Адрес поставки": "г. Образцово, склад 2",
  "Гарантия": "12 месяцев",
};
const CATALOG = 77;
const FIRST_FIELD = 880_200;

/** Starts the fake with an administrator's token, which is made up unless it is given. */
export async function startSampleAccount(
  { token, ...options }: AmocrmOptions & { token?: string } = {},
): Promise<Amocrm & { readonly token: string }> {
  const fake = await startAmocrm(options);
  return Object.assign(fake, { token: fake.tokens.issue({ isAdmin: true }, token) });
}

/** Ids that no fake before this one has given out: its deals are gone, but what a database knows of them is not. */
export function freshId(): number {
  return Math.floor(Date.now() / 1000);
}

/** The settings that connect Hookwork to the fake, as far as they are not secrets of its own. */
export function accountSettings(
  { account, url }: Pick<Amocrm, "account" | "url">,
): Record<string, string> {
  return {
    ...SELLER,
    AMOCRM_ACCOUNT: `${account.id}`,
    AMOCRM_URL: url.origin,
    AMOCRM_CONTRACT_PIPELINE_ID: `${PIPELINE}`,
    AMOCRM_CONTRACT_STAGE_ID: `${STAGE.contract}`,
  };
}

/** Has changes of the account told to the receiver, as `hookwork amocrm subscribe` does. */
export function subscribe({ hooks }: Amocrm, receiver: string, secret: string): void {
  hooks.subscribe(new URL(`/hooks/amocrm/${secret}`, receiver).href, amocrmEvents);
}

/** A new deal, of a buyer of this name, with all that a contract needs; at the first stage. */
export function createDeal({ crm }: Amocrm, buyer = "ООО «Пример-Монтаж»"): Lead {
  const company = crm.createCompany({ name: buyer, fields: textFields(REQUISITES) });
  const item = crm.createItem({ name: "Ворота откатные", catalog: CATALOG, price: 184_000 });
  return crm.createLead({
    name: "Ворота, д. 7",
    price: 368_000,
    pipeline_id: PIPELINE,
    status_id: STAGE.new,
    companies: [{ id: company.id }],
    items: [{ id: item.id, catalog_id: CATALOG, quantity: 2 }],
    custom_fields_values: textFields(TERMS),
  });
}

function textFields(texts: Readonly<Record<string, string>>): FieldValue[] {
  return Object.entries(texts).map(([field_name, value], index) => ({
    field_id: FIRST_FIELD + index,
    field_name,
    field_code: null,
    field_type: "text",
    values: [{ value }],
  }));
}
