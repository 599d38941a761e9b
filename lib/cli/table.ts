/**
 * Text in columns, for a terminal.
 * @module
 */
import { cutText, printable } from "../base/text.ts";

/** What a cell may hold; null shows as a dash. */
export type Cell = string | number | null;

/** One column of a table. */
export interface Column<Row> {
  readonly title: string;
  readonly cell: (row: Row) => Cell;
  /** Numbers that are compared stand to the right. */
  readonly right?: boolean;
  /** Whether its cells may be cut when the terminal is narrow. */
  readonly flexible?: boolean;
}

const GAP = "  ";
/** A flexible column is not made narrower than this, in characters. */
const MIN_FLEXIBLE = 12;

/**
 * A line of titles and a line for each row, whatever line ends the cells hold.
 *
 * Flexible columns are cut until a line has at most `width` characters, or until that helps no more.
 * Characters that a terminal shows twice as wide count as one.
 */
export function renderTable<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  width: number,
): string {
  const titles = columns.map(({ title }) => title);
  const lines = [titles, ...rows.map((row) => columns.map(({ cell }) => show(cell(row))))];
  const natural = columns.map((_, index) => Math.max(...lines.map((line) => line[index]!.length)));
  const widths = fitWidths(natural, columns, width);
  return lines.map((line) =>
    line.map((cell, index) => pad(cell, widths[index]!, columns[index]!)).join(GAP).trimEnd()
  ).join("\n");
}

/** Takes from the widest flexible column, again and again, until the line fits. */
function fitWidths<Row>(natural: number[], columns: readonly Column<Row>[], width: number) {
  const widths = [...natural];
  const gaps = GAP.length * (columns.length - 1);
  let excess = widths.reduce((sum, each) => sum + each, gaps) - width;
  for (; excess > 0; excess--) {
    const candidates = widths.map((each, index) => columns[index]!.flexible ? each : 0);
    const widest = Math.max(...candidates);
    if (widest <= MIN_FLEXIBLE) break;
    widths[candidates.indexOf(widest)]!--;
  }
  return widths;
}

function show(cell: Cell): string {
  return cell === null ? "-" : printable(String(cell));
}

function pad(cell: string, width: number, { right }: Pick<Column<never>, "right">): string {
  const text = cutText(cell, width);
  return right ? text.padStart(width) : text.padEnd(width);
}

/** Names and values below each other; further lines of a value are indented, and null is left out. */
export function renderFields(fields: readonly (readonly [name: string, value: Cell])[]): string {
  const shown = fields.filter(([, value]) => value !== null);
  const width = Math.max(...shown.map(([name]) => name.length));
  const indent = " ".repeat(GAP.length + width + GAP.length);
  return shown.map(([name, value]) => {
    const text = printable(String(value), { lines: true }).replaceAll("\n", `\n${indent}`);
    return `${GAP}${name.padEnd(width)}${GAP}${text}`;
  }).join("\n");
}
