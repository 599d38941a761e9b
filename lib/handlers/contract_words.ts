/**
 * What is written into a deal about its contract, each text with a mark by which it is found again.
 * @module
 */
import { longDate } from "../contracts/dates.ts";
import type { DataProblem } from "../contracts/data.ts";
import type { ContractRecord } from "../contracts/documents.ts";
import { UNDRAWN } from "../contracts/signs.ts";
import { requisiteLabel } from "./contract_buyer.ts";

/** The mark of what an effect creates: whole words in brackets, so that none is the beginning of another. */
export function markOf(effectKey: string): string {
  return `[hw:${effectKey}]`;
}

/** The note that tells of a contract. `folder` is where managers find files, if there is such a place. */
export function noteText(
  { number, date, path }: Pick<ContractRecord, "number" | "date" | "path">,
  { folder, mark }: { readonly folder: string | undefined; readonly mark: string },
): string {
  const where = folder === undefined ? path : `${folder.replace(/\/$/, "")}/${path}`;
  return `Договор № ${number} от ${longDate(date)} готов: ${where}\n${mark}`;
}

/** The task of a manager whose deal lacks something. */
export function missingText(problems: readonly DataProblem[], mark: string): string {
  const lines = problems.map(({ field, problem }) =>
    `— ${fieldLabel(field)}: ${problemText(problem)}`
  );
  return [
    "Договор не подготовлен. Исправьте и снова переведите сделку на этап договора:",
    ...new Set(lines),
    mark,
  ].join("\n");
}

function problemText(problem: string): string {
  if (problem.startsWith(UNDRAWN)) {
    return `замените знаки, которых нет в шрифте: ${problem.slice(UNDRAWN.length)}`;
  }
  return problem.startsWith("is missing") ? "не заполнено" : "указано неверно";
}

/** The task of a manager who can only wait. */
export function brokenText(reason: string, mark: string): string {
  return [
    "Договор не подготовлен: ошибка в шаблоне или настройках. Когда её исправят, снова переведите сделку на этап договора.",
    `Для администратора: ${reason}`,
    mark,
  ].join("\n");
}

/** What a person calls a field of the data. */
export function fieldLabel(field: string): string {
  const [side, ...rest] = field.split(".");
  const label = requisiteLabel(rest.join("."));
  if (side === "buyer" && label !== undefined) return `${label} покупателя`;
  if (side === "items" && rest.length === 2) return itemLabel(Number(rest[0]) + 1, rest[1]!);
  return LABELS[field] ?? field.replace(/^поле\.\s*/, "поле сделки ");
}

const LABELS: Readonly<Record<string, string>> = {
  city: "город договора (настройка CONTRACT_CITY)",
  items: "товары сделки",
};
const ITEM_LABELS: Readonly<Record<string, string>> = {
  name: "название",
  quantity: "количество",
  unit: "единица измерения",
  priceKopecks: "цена",
};

function itemLabel(place: number, part: string): string {
  return `${ITEM_LABELS[part] ?? part} товара ${place} (или название и бюджет сделки)`;
}
