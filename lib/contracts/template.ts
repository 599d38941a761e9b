/**
 * Reads a template: plain text with a few marks at the beginning of lines, and placeholders inside.
 *
 * `templates/contract/README.md` tells the marks to whoever edits templates. Everything that is
 * wrong is told at once, each with its file and line.
 * @module
 */
import { PermanentError } from "../base/errors.ts";
import { nameHint, nearest } from "../base/nearest.ts";
import { FIELD_NAMES, fieldName, isField, PAGE_FIELDS } from "./fields.ts";

/** What a line of a template begins. */
export type TemplateBlockKind =
  | "title"
  | "heading"
  | "clause"
  | "subclause"
  | "paragraph"
  | "items"
  | "signatures"
  | "footer"
  | "pageBreak";

/** A block as it is written: its text still has its placeholders. */
export interface TemplateBlock {
  readonly kind: TemplateBlockKind;
  /** What follows the mark; lines that belong together are one text. */
  readonly text: string;
  /** The line it begins on, from 1. */
  readonly line: number;
}

/** A template without errors. */
export interface Template {
  /** `v1`: the name of its folder. */
  readonly version: string;
  /** How errors name it: `v1/contract.txt`. */
  readonly file: string;
  readonly blocks: readonly TemplateBlock[];
}

/** A template that cannot be used: it has to be mended. */
export class TemplateError extends PermanentError {
  override name = "TemplateError";
  /** Each problem begins with file and line. */
  constructor(readonly problems: readonly string[]) {
    super(`Cannot use the template: ${problems.join("; ")}`);
  }
}

/** Between the left and the right half of a line. */
export const SIDES = "||";
/** A placeholder, with its name. */
export const PLACEHOLDER = /\{\{([^{}]*)\}\}/g;

const MARKERS: ReadonlyMap<string, TemplateBlockKind> = new Map([
  ["таблица", "items"],
  ["подписи", "signatures"],
  ["низ страницы", "footer"],
  ["новая страница", "pageBreak"],
]);
const PREFIXES: Readonly<Record<string, TemplateBlockKind>> = {
  "#": "title",
  "##": "heading",
  "-": "clause",
  "--": "subclause",
};
/** Kinds whose text goes on until an empty line or another mark. */
const FLOWING: readonly TemplateBlockKind[] = ["clause", "subclause", "paragraph", "heading"];

/** Kinds that have a left and a right half. */
const HALVED: readonly TemplateBlockKind[] = ["paragraph", "signatures", "footer"];

/** Reads a template. Throws TemplateError with all that is wrong. */
export function parseTemplate(version: string, file: string, source: string): Template {
  const problems: string[] = [];
  const blocks: TemplateBlock[] = [];
  let open = false;
  source.replace(/^\ufeff/, "").split(/\r?\n/).forEach((written, index) => {
    const line = written.trim();
    if (line.startsWith("//")) return;
    const tell = (problem: string) => problems.push(`${file}:${index + 1}: ${problem}`);
    const block = line === "" ? undefined : blockOf(line, index + 1, tell);
    const last = blocks.at(-1);
    const goesOn = open && block?.kind === "paragraph" && flows(block);
    if (goesOn) blocks[blocks.length - 1] = { ...last!, text: `${last!.text} ${block.text}` };
    else if (block) blocks.push(block);
    open = block !== undefined && flows(block);
    if (block) textProblems(block).forEach(tell);
  });
  problems.push(...wholeProblems(file, blocks));
  if (problems.length > 0) throw new TemplateError(problems);
  return { version, file, blocks };
}

function flows({ kind, text }: TemplateBlock): boolean {
  return FLOWING.includes(kind) && !text.includes(SIDES);
}

function blockOf(
  text: string,
  line: number,
  tell: (problem: string) => void,
): TemplateBlock | undefined {
  const marker = /^\[\[(.*?)\]\](.*)$/.exec(text);
  if (marker) {
    const name = fieldName(marker[1]!);
    const kind = MARKERS.get(name);
    if (kind) return { kind, text: marker[2]!.trim(), line };
    return void tell(
      `[[${marker[1]}]] is no mark; ${nameHint(name, [...MARKERS.keys()], "marks")}`,
    );
  }
  const [, prefix, rest] = /^(#+|--?(?= ))\s*(.*)$/.exec(text) ?? [];
  if (prefix === undefined) return { kind: "paragraph", text, line };
  const kind = PREFIXES[prefix];
  if (kind && rest) return { kind, text: rest, line };
  return void tell(kind ? `nothing follows ${prefix}` : `${prefix} is no mark; use # or ##`);
}

function textProblems({ kind, text }: TemplateBlock): string[] {
  const names = [...text.matchAll(PLACEHOLDER)].map(([, written]) => written!);
  const rest = text.replaceAll(PLACEHOLDER, "");
  const halves = text.split(SIDES).length;
  return [
    ...names.flatMap((written) => placeholderProblem(written, kind)),
    ...(/\{\{|\}\}/.test(rest) ? ["{{ or }} without its other half"] : []),
    ...(rest.split("**").length % 2 === 0 ? ["** without its other half on the line"] : []),
    ...(kind === "signatures" && halves !== 2
      ? ["[[подписи]] needs both parties: [[подписи]] Поставщик || Покупатель"]
      : []),
    ...(halves > 1 && !HALVED.includes(kind) ? [`${SIDES} is for lines without a mark`] : []),
    ...(halves > 2 ? [`${SIDES} stands more than once on the line`] : []),
  ];
}

function placeholderProblem(written: string, kind: TemplateBlockKind): string[] {
  const name = fieldName(written);
  const ofPage = Object.keys(PAGE_FIELDS);
  if (ofPage.includes(name)) {
    return kind === "footer" ? [] : [`{{${written}}} is known in [[низ страницы]] only`];
  }
  if (isField(name)) return [];
  const known = kind === "footer" ? [...FIELD_NAMES, ...ofPage] : FIELD_NAMES;
  const meant = nearest(name, known, Math.max(2, Math.floor(name.length / 4)));
  const hint = meant === undefined
    ? `the placeholders are ${known.join(", ")}`
    : `did you mean {{${meant}}}?`;
  return [`{{${written}}} is no placeholder; ${hint}`];
}

function wholeProblems(file: string, blocks: readonly TemplateBlock[]): string[] {
  const lines = (kind: TemplateBlockKind) =>
    blocks.filter((block) => block.kind === kind).map(({ line }) => line);
  const problems: string[] = [];
  for (const [kind, mark] of [["title", "# title"], ["signatures", "[[подписи]]"]] as const) {
    if (lines(kind).length === 0) problems.push(`${file}:1: there is no ${mark}`);
  }
  for (const [kind, mark] of [["title", "# title"], ["footer", "[[низ страницы]]"]] as const) {
    const [, second] = lines(kind);
    if (second !== undefined) problems.push(`${file}:${second}: there is a second ${mark}`);
  }
  return problems;
}
