/**
 * The two tables of a contract for pdfmake: what is bought, and who signs. Sizes are points.
 * @module
 */
import type { Block, ItemRow, SignatureSide, TotalRow } from "./document.ts";

/** A node or a definition of pdfmake, which comes without types of its own. */
export type PdfNode = Readonly<Record<string, unknown>>;

/** A table as pdfmake hands it to the functions of its layout. */
interface Grid {
  readonly table: { readonly widths: readonly unknown[] };
}

/** Of rules and of what is not read in one go with the text. */
export const GREY = "#7a7a7a";
const RULE = 0.5;
const HEADER_FILL = "#f0f0f0";

const ITEM_COLUMNS = [
  { title: "№", width: 20, alignment: "center" },
  { title: "Наименование", width: "*", alignment: "left" },
  { title: "Кол-во", width: "auto", alignment: "right" },
  { title: "Ед.", width: "auto", alignment: "center" },
  { title: "Цена, руб.", width: "auto", alignment: "right" },
  { title: "Сумма, руб.", width: "auto", alignment: "right" },
];

/** The items, with a header that is repeated on each page, and the totals under them. */
export function itemsTable({ rows, totals }: Extract<Block, { kind: "items" }>): PdfNode {
  const header = ITEM_COLUMNS.map(({ title }) => ({
    text: title,
    bold: true,
    alignment: "center",
    fillColor: HEADER_FILL,
    noWrap: true,
  }));
  const cells = ({ name, quantity, unit, price, amount }: ItemRow, index: number) =>
    [String(index + 1), name, quantity, unit, price, amount].map((text, column) => ({
      text,
      alignment: ITEM_COLUMNS[column]!.alignment,
      noWrap: column !== 1,
    }));
  const labelled = ITEM_COLUMNS.length - 1;
  const total = ({ label, amount }: TotalRow, index: number) => [
    { text: label, colSpan: labelled, alignment: "right", bold: index === 0, border: NO_BORDER },
    ...Array.from({ length: labelled - 1 }, () => ({})),
    { text: amount, alignment: "right", bold: index === 0, noWrap: true },
  ];
  return {
    table: {
      headerRows: 1,
      keepWithHeaderRows: 1,
      dontBreakRows: true,
      widths: ITEM_COLUMNS.map(({ width }) => width),
      body: [header, ...rows.map(cells), ...totals.map(total)],
    },
    layout: GRID,
    fontSize: 9,
    margin: [0, 3, 0, 8],
  };
}

const NO_BORDER = [false, false, false, false];

const GRID = {
  hLineWidth: () => RULE,
  vLineWidth: () => RULE,
  hLineColor: () => GREY,
  vLineColor: () => GREY,
  paddingLeft: () => 5,
  paddingRight: () => 5,
  paddingTop: () => 3,
  paddingBottom: () => 3,
};

/** Both parties side by side, and never torn by the end of a page. Rows, so that both signatures stand at one height. */
export function signaturesTable([left, right]: readonly [SignatureSide, SignatureSide]): PdfNode {
  const row = (cell: (side: SignatureSide) => PdfNode) => [cell(left), cell(right)];
  return {
    table: {
      widths: ["*", "*"],
      dontBreakRows: true,
      body: [
        row(({ role }) => ({ text: role, bold: true, margin: [0, 0, 0, 3] })),
        row(({ name, lines }) => ({
          stack: [{ text: name, bold: true, margin: [0, 0, 0, 3] }, ...lines],
          fontSize: 9,
        })),
        row(({ position }) => ({ text: position, margin: [0, 10, 0, 0] })),
        row(({ signatory }) => signatureLine(signatory)),
      ],
    },
    layout: TWO_COLUMNS,
    unbreakable: true,
    margin: [0, 4, 0, 0],
  };
}

const TWO_COLUMNS = {
  hLineWidth: () => 0,
  vLineWidth: () => 0,
  paddingLeft: (column: number) => column === 0 ? 0 : 14,
  paddingRight: (column: number, { table }: Grid) => column === table.widths.length - 1 ? 0 : 14,
  paddingTop: () => 0,
  paddingBottom: () => 2,
};

const SIGNATURE_WIDTH = 118;

function signatureLine(signatory: string): PdfNode {
  const line = { type: "line", x1: 0, y1: 0, x2: SIGNATURE_WIDTH, y2: 0, lineWidth: RULE };
  return {
    stack: [
      {
        columns: [
          { width: SIGNATURE_WIDTH + 6, stack: [{ canvas: [line], margin: [0, 26, 0, 0] }] },
          { width: "*", text: `/ ${signatory} /`, margin: [0, 16, 0, 0] },
        ],
      },
      { text: "М. П.", fontSize: 8, color: GREY, margin: [0, 5, 0, 0] },
    ],
  };
}
