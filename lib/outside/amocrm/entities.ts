/**
 * Deals, contacts, companies and items as the API tells them, reduced to what is needed; whatever else comes is left out.
 * Source: https://www.amocrm.ru/developers/content/crm_platform/leads-api
 * @module
 */
import { z } from "zod";

/** Ids are text everywhere, as in webhooks and in settings; those beyond 2^53 keep all their digits. */
export const id = z.union([z.int(), z.string().regex(/^\d+$/)]).transform(String);
/** Seconds since 1970. */
export const time = z.number().transform((seconds) => new Date(seconds * 1000));
const name = z.string().nullish().transform((text) => text ?? "");

const field = z.object({
  field_id: id,
  field_name: name,
  field_code: z.string().nullish(),
  field_type: z.string(),
  values: z.array(z.object({ value: z.unknown(), enum_code: z.string().nullish() })),
}).transform((given) => ({
  id: given.field_id,
  name: given.field_name,
  /** `PHONE`, `EMAIL`, or a code that the account has given; most fields have none. */
  code: given.field_code ?? null,
  type: given.field_type,
  values: given.values.map(({ value, enum_code }) => ({ value, enumCode: enum_code ?? null })),
}));
/** Null, and never an empty list, when none is filled in. */
const fields = z.array(field).nullish().transform((filled) => filled ?? []);
const refs = z.array(z.object({ id })).nullish()
  .transform((list) => (list ?? []).map(({ id }) => id));

/** A custom field that is filled in. */
export type Field = z.infer<typeof field>;

/** A deal. */
export const leadForm = z.object({
  id,
  account_id: id,
  name,
  price: z.number().nullish(),
  pipeline_id: id,
  status_id: id,
  responsible_user_id: id,
  created_at: time,
  updated_at: time,
  custom_fields_values: fields,
  _embedded: z.object({
    companies: refs,
    contacts: z.array(z.object({ id, is_main: z.boolean().nullish() })).nullish(),
    catalog_elements: z.array(z.object({
      id,
      quantity: z.number().nullish(),
      catalog_id: id.nullish(),
      metadata: z.object({ quantity: z.number().nullish(), catalog_id: id.nullish() }).nullish(),
    })).nullish(),
  }).nullish(),
}).transform(({ _embedded: embedded, ...given }) => ({
  id: given.id,
  accountId: given.account_id,
  /** May be empty. */
  name: given.name,
  price: given.price ?? 0,
  pipelineId: given.pipeline_id,
  /** Names a stage only together with the pipeline: 142 and 143 are in all of them. */
  stageId: given.status_id,
  responsibleUserId: given.responsible_user_id,
  createdAt: given.created_at,
  updatedAt: given.updated_at,
  fields: given.custom_fields_values,
  companyIds: embedded?.companies ?? [],
  /** The main one first; empty in lists. */
  contactIds: (embedded?.contacts ?? [])
    .toSorted((a, b) => Number(b.is_main ?? false) - Number(a.is_main ?? false))
    .map(({ id }) => id),
  /** What is sold, as a reference to an element of a catalog; empty in lists. */
  items: (embedded?.catalog_elements ?? []).map(({ id, metadata, ...item }) => ({
    id,
    catalogId: item.catalog_id ?? metadata?.catalog_id ?? "",
    quantity: item.quantity ?? metadata?.quantity ?? 1,
  })),
}));
/** A deal. */
export type Lead = z.infer<typeof leadForm>;

/** A person. */
export const contactForm = z.object({
  id,
  name,
  first_name: name,
  last_name: name,
  responsible_user_id: id,
  custom_fields_values: fields,
  _embedded: z.object({ companies: refs }).nullish(),
}).transform((given) => ({
  id: given.id,
  name: given.name,
  /** Often empty, with all in `name`. */
  firstName: given.first_name,
  lastName: given.last_name,
  responsibleUserId: given.responsible_user_id,
  fields: given.custom_fields_values,
  companyIds: given._embedded?.companies ?? [],
}));
/** A person. */
export type Contact = z.infer<typeof contactForm>;

/** A company; its requisites are custom fields. */
export const companyForm = z.object({
  id,
  name,
  responsible_user_id: id,
  custom_fields_values: fields,
}).transform((given) => ({
  id: given.id,
  name: given.name,
  responsibleUserId: given.responsible_user_id,
  fields: given.custom_fields_values,
}));
/** A company. */
export type Company = z.infer<typeof companyForm>;

/** An element of a catalog; its price is the custom field PRICE. */
export const elementForm = z.object({ id, name, custom_fields_values: fields })
  .transform((given) => ({ id: given.id, name: given.name, fields: given.custom_fields_values }));
/** An element of a catalog. */
export type Element = z.infer<typeof elementForm>;

/** The first value of a custom field, named by its id or its code, as text; undefined when it is not filled in or is no text. */
export function fieldText(
  { fields }: { readonly fields: readonly Field[] },
  idOrCode: string,
): string | undefined {
  const found = fields.find(({ id, code }) => id === idOrCode || code === idOrCode);
  const value = found?.values[0]?.value;
  const isShown = ["string", "number", "boolean"].includes(typeof value);
  return isShown ? `${value}`.trim() || undefined : undefined;
}
