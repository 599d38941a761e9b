/**
 * The buyer of a contract: in which custom fields of the company and the contact its requisites are.
 *
 * Accounts name these fields as they like. `templates/contract/README.md` tells the names that are known here.
 * @module
 */
import { z } from "zod";
import { nameHint } from "../base/nearest.ts";
import { list } from "../base/settings.ts";
import { fieldName } from "../contracts/fields.ts";
import type { Deal } from "../outside/amocrm/deals.ts";
import type { Field } from "../outside/amocrm/entities.ts";
import type { Setting } from "../setting.ts";

/** One requisite. */
interface Requisite {
  /** What a person calls it. */
  readonly label: string;
  /** Names or codes of custom fields, tried in this order. */
  readonly names: readonly string[];
  /** Its part of a field of the type `legal_entity`, which is tried last. */
  readonly part?: string;
}

/**
 * The requisites by their place in the data of a party. The parts of a `legal_entity` are those of
 * https://github.com/amocrm/amocrm-api-php, LegalEntityCustomFieldValueModel.
 */
const REQUISITES: Readonly<Record<string, Requisite>> = {
  "name": { label: "полное название", names: ["Полное название"], part: "name" },
  "inn": { label: "ИНН", names: ["ИНН"], part: "vat_id" },
  "kpp": { label: "КПП", names: ["КПП"], part: "kpp" },
  "ogrn": { label: "ОГРН", names: ["ОГРН", "ОГРНИП"] },
  "address": { label: "адрес", names: ["Юридический адрес", "ADDRESS"], part: "address" },
  "account": {
    label: "расчётный счёт",
    names: ["Расчётный счёт", "Р/с"],
    part: "bank_account_number",
  },
  "bank": { label: "банк", names: ["Банк"] },
  "bik": { label: "БИК", names: ["БИК"], part: "bank_code" },
  "correspondentAccount": {
    label: "корреспондентский счёт",
    names: ["Корреспондентский счёт", "Корр. счёт", "К/с"],
  },
  "phone": { label: "телефон", names: ["PHONE"] },
  "email": { label: "электронная почта", names: ["EMAIL"] },
  "signatory.position": {
    label: "должность подписанта",
    names: ["Должность подписанта", "POSITION"],
  },
  "signatory.name": { label: "подписант", names: ["Подписант"] },
  "signatory.represented": { label: "в лице", names: ["В лице"] },
};

/** Fields that stand in for those above, by requisite. */
export type OwnFields = Readonly<Record<string, string>>;

const anyList = list(
  "Fields of your account that hold the buyer's requisites under other names: inn=880201,bank=Наш банк.",
);
/** The setting CONTRACT_BUYER_FIELDS: a requisite, `=`, and the name, code or id of a custom field; none when unset. */
export const buyerFields: Setting<OwnFields> = {
  ...anyList,
  schema: anyList.schema.transform((pairs, context) => {
    const own = pairs.map((pair) => /^([\w.]+?)\s*=\s*(.+)$/.exec(pair)?.slice(1) ?? [pair, ""]);
    for (const [requisite, name] of own) {
      if (name === "") context.addIssue("has a part without a field; write inn=880201");
      else if (!Object.hasOwn(REQUISITES, requisite!)) {
        const hint = nameHint(requisite!, Object.keys(REQUISITES), "requisites");
        context.addIssue(`names a requisite that contracts do not have; ${hint}`);
      }
    }
    return context.issues.length > 0 ? z.NEVER : Object.fromEntries(own);
  }),
};

/** What a person calls a requisite; undefined for what is none. */
export function requisiteLabel(requisite: string): string | undefined {
  return Object.hasOwn(REQUISITES, requisite) ? REQUISITES[requisite]!.label : undefined;
}

/** The buyer as far as the deal tells: company first, then contact. Whether it is whole is checked with all else. */
export function buyerOf({ company, contact }: Deal, own: OwnFields): Record<string, unknown> {
  const sides = [company?.fields ?? [], contact?.fields ?? []];
  const found = (requisite: string) => {
    const { names, part } = REQUISITES[requisite]!;
    const named = own[requisite] === undefined ? names : [own[requisite]];
    return firstOf(sides, (fields) => fieldText(fields, named)) ??
      (part && firstOf(sides, (fields) => legalEntityText(fields, part)));
  };
  const under = (prefix: string) =>
    Object.fromEntries(
      Object.keys(REQUISITES).filter((requisite) => requisite.startsWith(prefix))
        .map((requisite) => [requisite.slice(prefix.length), found(requisite)]),
    );
  const name = found("name") ?? (company?.name || contact?.name || undefined);
  return { ...under(""), name, signatory: under("signatory.") };
}

/** The first value of the first of these fields that is filled in. */
export function fieldText(
  fields: readonly Field[],
  names: readonly string[],
): string | undefined {
  return firstOf(names, (name) => {
    const isMeant = (field: Field) =>
      field.id === name || field.code === name || fieldName(field.name) === fieldName(name);
    return textOf(fields.find(isMeant)?.values[0]?.value);
  });
}

function legalEntityText(fields: readonly Field[], part: string): string | undefined {
  const value = fields.find(({ type }) => type === "legal_entity")?.values[0]?.value;
  return textOf((value as Record<string, unknown> | undefined)?.[part]);
}

function textOf(value: unknown): string | undefined {
  return ["string", "number"].includes(typeof value) ? `${value}`.trim() || undefined : undefined;
}

function firstOf<T>(
  all: readonly T[],
  look: (one: T) => string | undefined,
): string | undefined {
  for (const one of all) {
    const found = look(one);
    if (found !== undefined) return found;
  }
  return undefined;
}
