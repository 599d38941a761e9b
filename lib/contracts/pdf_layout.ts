/**
 * Sets a contract on A4 pages: a document becomes a definition for pdfmake.
 *
 * Sizes are points, 72 to the inch; A4 is 595 by 842.
 * @module
 */
import type { Block, ContractDocument, FooterRun, Run } from "./document.ts";
import { GREY, itemsTable, type PdfNode, signaturesTable } from "./pdf_tables.ts";

const FONT = "Roboto";
/** Left, top, right, bottom: room to be bound on the left. */
const PAGE_MARGINS = [71, 50, 43, 56];
const INDENT = 32;
const GAP = 4;
/** About six lines: never torn by the end of a page. */
const WHOLE_UNITS = 500;
/** About fifteen lines: not torn from a heading or from signatures. */
const KEPT_UNITS = 1200;

/** The definition of a contract. The dates in the file are the contract's, so equal contracts give equal bytes. */
export function pdfDefinition(document: ContractDocument): PdfNode {
  const at = new Date(`${document.date}T00:00:00Z`);
  return {
    pageSize: "A4",
    pageMargins: PAGE_MARGINS,
    info: { title: document.title, creationDate: at, modDate: at, producer: "pdfmake" },
    language: "ru",
    defaultStyle: { font: FONT, fontSize: 10, lineHeight: 1.15 },
    content: content(document.blocks),
    footer: (page: number, pages: number) => footer(document.footer, page, pages),
  };
}

/**
 * A heading stays with what follows it, a clause that announces others with the first of them, and signatures with the
 * clause before their heading: no page ends with the former, and none holds signatures alone. What could fill a page by
 * itself is left to be torn: a block that must not be, and does not fit, is not printed well by anybody.
 */
function content(blocks: readonly Block[]): PdfNode[] {
  const groups: Block[][] = [];
  for (const block of blocks) {
    const last = groups.at(-1);
    if (last !== undefined && staysWith(last.at(-1)!, block)) last.push(block);
    else groups.push([block]);
    const [before, signing] = groups.slice(-2);
    if (
      block.kind === "signatures" && signing && before!.every((each) => isText(each, KEPT_UNITS))
    ) {
      groups.splice(-2, 2, [...before!, ...signing]);
    }
  }
  return groups.map((group) => ({
    stack: group.map(node),
    unbreakable: group.length > 1 || isText(group[0]!, WHOLE_UNITS),
  }));
}

function staysWith(block: Block, next: Block): boolean {
  if (block.kind === "heading") return next.kind === "signatures" || isText(next, KEPT_UNITS);
  const announces = block.kind === "clause" && next.kind === "clause" && block.depth < next.depth;
  return announces && isText(block, WHOLE_UNITS) && isText(next, WHOLE_UNITS);
}

/** Whether it is text of at most so many UTF-16 units. */
function isText(block: Block, units: number): boolean {
  if (!("runs" in block)) return false;
  return block.runs.reduce((length, { text }) => length + text.length, 0) <= units;
}

function node(block: Block): PdfNode {
  switch (block.kind) {
    case "title":
      return {
        text: texts(block.runs),
        fontSize: 14,
        bold: true,
        alignment: "center",
        margin: [0, 0, 0, 12],
      };
    case "heading":
      return {
        text: [{ text: `${block.number} ` }, ...texts(block.runs)],
        bold: true,
        fontSize: 10.5,
        alignment: "center",
        margin: [0, 10, 0, 5],
      };
    case "clause":
      return clause(block);
    case "paragraph":
      return { text: texts(block.runs), margin: [0, 0, 0, GAP] };
    case "sides":
      return {
        columns: [{ text: texts(block.left) }, { text: texts(block.right), alignment: "right" }],
        margin: [0, 0, 0, 12],
      };
    case "items":
      return itemsTable(block);
    case "signatures":
      return signaturesTable(block.sides);
    case "pageBreak":
      return { text: "", pageBreak: "after" };
  }
}

function clause({ number, depth, runs }: Extract<Block, { kind: "clause" }>): PdfNode {
  const left = (depth - 1) * INDENT;
  return {
    columns: [
      { width: depth === 1 ? INDENT : INDENT + 8, text: number },
      { width: "*", text: texts(runs) },
    ],
    margin: [left, 0, 0, depth === 1 ? GAP : 3],
  };
}

function footer(
  { left, right }: ContractDocument["footer"],
  page: number,
  pages: number,
): PdfNode {
  const half = (runs: readonly FooterRun[]) =>
    runs.map((run) => ({
      text: "page" in run ? String(run.page === "number" ? page : pages) : run.text,
      bold: run.bold,
    }));
  const [marginLeft, _top, marginRight] = PAGE_MARGINS;
  return {
    columns: [
      { width: "*", text: half(left) },
      { width: "auto", text: half(right), alignment: "right" },
    ],
    columnGap: 12,
    fontSize: 8,
    color: GREY,
    margin: [marginLeft, 22, marginRight, 0],
  };
}

function texts(runs: readonly Run[]): PdfNode[] {
  return runs.map(({ text, bold }) => ({ text, ...(bold ? { bold } : {}) }));
}
