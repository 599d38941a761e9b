/**
 * Puts the data of a contract into a template: numbers the clauses, fills the placeholders, lays out table and signatures.
 * @module
 */
import { type ContractData, ContractDataError, type DataProblem, type Party } from "./data.ts";
import type {
  Block,
  ContractDocument,
  FooterRun,
  ItemRow,
  Run,
  SignatureSide,
  TotalRow,
} from "./document.ts";
import { fieldName, fieldValue, PAGE_FIELDS } from "./fields.ts";
import { amountKopecks, formatMoney, formatQuantity, NO_BREAK_SPACE, totalsOf } from "./money.ts";
import { PLACEHOLDER, SIDES, type Template, type TemplateBlock } from "./template.ts";

/** Composes a contract. Throws ContractDataError for each placeholder that it has no value for, with file and line. */
export function compose(template: Template, data: ContractData): ContractDocument {
  const composer = createComposer(template, data);
  const isFooter = ({ kind }: TemplateBlock) => kind === "footer";
  const blocks = template.blocks.filter((block) => !isFooter(block)).map(composer.block);
  const footer = composer.footer(template.blocks.find(isFooter));
  if (composer.problems.length > 0) throw new ContractDataError(composer.problems);
  const title = blocks.flatMap((block) => block.kind === "title" ? block.runs : []);
  return { title: title.map(({ text }) => text).join(""), date: data.date, blocks, footer };
}

function createComposer({ file }: Template, data: ContractData) {
  const problems: DataProblem[] = [];
  const number = createNumbering();

  const filled = (text: string, line: number) =>
    typeset(text.replaceAll(PLACEHOLDER, (_, name: string) => {
      const value = fieldValue(fieldName(name), data);
      if (value !== undefined) return value;
      problems.push({ field: name.trim(), problem: `is missing, and ${file}:${line} needs it` });
      return "";
    }));
  const runs = (text: string, line: number): Run[] =>
    styled(text).map((run) => ({ ...run, text: filled(run.text, line) }));

  function block({ kind, text, line }: TemplateBlock): Block {
    const [left, right] = text.split(SIDES).map((half) => half.trim());
    switch (kind) {
      case "items":
        return itemsBlock(data);
      case "signatures":
        return {
          kind,
          sides: [signatureSide(left!, data.seller), signatureSide(right!, data.buyer)],
        };
      case "pageBreak":
        return { kind };
      case "heading":
        return { kind, number: number(0), runs: runs(text, line) };
      case "clause":
        return { kind, depth: 1, number: number(1), runs: runs(text, line) };
      case "subclause":
        return { kind: "clause", depth: 2, number: number(2), runs: runs(text, line) };
      case "title":
        return { kind, runs: runs(text, line) };
      default:
        if (right === undefined) return { kind: "paragraph", runs: runs(text, line) };
        return { kind: "sides", left: runs(left!, line), right: runs(right, line) };
    }
  }

  function footer(block: TemplateBlock | undefined): ContractDocument["footer"] {
    const [left = "", right = ""] = (block?.text ?? "").split(SIDES).map((half) => half.trim());
    const half = (text: string) => footerRuns(text, (part) => filled(part, block!.line));
    return { left: half(left), right: half(right) };
  }

  return { problems, block, footer };
}

/** Counts as a lawyer does: a heading is 2, its clauses 2.1, theirs 2.1.1. */
function createNumbering(): (depth: 0 | 1 | 2) => string {
  const counts = [0, 0, 0];
  return (depth) => {
    counts[depth]!++;
    counts.fill(0, depth + 1);
    return counts.slice(0, depth + 1).filter((count) => count > 0).map((count) => `${count}.`)
      .join("");
  };
}

/** The text between two `**` is bold. */
function styled(text: string): Run[] {
  return text.split("**").map((part, index) => ({ text: part, bold: index % 2 === 1 }))
    .filter((run) => run.text !== "");
}

function footerRuns(text: string, filled: (part: string) => string): FooterRun[] {
  return styled(text).flatMap(({ text, bold }) =>
    text.split(/(\{\{[^{}]*\}\})/).filter((part) => part !== "").map((part) => {
      const page = PAGE_FIELDS[fieldName(part.slice(2, -2)) as keyof typeof PAGE_FIELDS];
      return page === undefined ? { text: filled(part), bold } : { page, bold };
    })
  );
}

/** Words that do not end a line: what they belong to comes after them. */
const LEADING =
  /(?<=^|[\s«(])(\p{L}{1,2}|№|г\.|ул\.|д\.|стр\.|корп\.|кв\.|оф\.|офис|п\.|ст\.) (?=\S)/gu;
/** Before signs and units that do not begin a line. */
const TRAILING = / (?=[—%×])|(?<=\d) (?=(?:мм|см|м|кг|г|л|шт|руб)(?!\p{L}))/gu;

/** Binds words that belong together, and drops the second point where an abbreviation ends the sentence. */
function typeset(text: string): string {
  return text.replaceAll(LEADING, `$1${NO_BREAK_SPACE}`).replaceAll(TRAILING, NO_BREAK_SPACE)
    .replaceAll(/(?<!\.)\.\.(?!\.)/g, ".");
}

function itemsBlock({ items, vatPercent }: ContractData): Block {
  const { totalKopecks, vatKopecks } = totalsOf(items, vatPercent);
  const rows = items.map((item): ItemRow => ({
    name: typeset(item.name),
    quantity: formatQuantity(item.quantity),
    unit: item.unit,
    price: formatMoney(item.priceKopecks),
    amount: formatMoney(amountKopecks(item)),
  }));
  const vat: TotalRow = vatKopecks === null
    ? { label: "НДС", amount: "не облагается" }
    : { label: `В том числе НДС ${vatPercent} %`, amount: formatMoney(vatKopecks) };
  return {
    kind: "items",
    rows,
    totals: [{ label: "Итого", amount: formatMoney(totalKopecks) }, vat],
  };
}

function signatureSide(role: string, party: Party): SignatureSide {
  const { signatory } = party;
  const lines: [label: string, value: string | undefined][] = [
    ["Адрес: ", party.address],
    party.kpp === undefined ? ["ИНН ", party.inn] : ["ИНН / КПП ", `${party.inn} / ${party.kpp}`],
    [party.ogrn.length === 15 ? "ОГРНИП " : "ОГРН ", party.ogrn],
    ["Р/с ", party.account],
    ["Банк: ", party.bank],
    ["БИК ", party.bik],
    ["К/с ", party.correspondentAccount],
    ["Тел.: ", party.phone],
    ["Эл. почта: ", party.email],
  ];
  return {
    role,
    name: party.name,
    lines: lines.filter(([_, value]) => value !== undefined).map(([label, value]) =>
      label + typeset(value!)
    ),
    position: signatory.position,
    signatory: signatory.name,
  };
}
