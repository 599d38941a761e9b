import { assertEquals, assertThrows } from "@std/assert";
import { parseTemplate, TemplateError } from "../../lib/contracts/template.ts";
import { templateOf } from "./support.ts";

const problemsOf = (...lines: string[]) =>
  assertThrows(() => templateOf(...lines), TemplateError).problems;
const MISSPELT: Record<string, [line: string, problem: string]> = {
  "a misspelt placeholder": [
    "Договор {{номр}}",
    "{{номр}} is no placeholder; did you mean {{номер}}?",
  ],
  "a misspelt requisite": [
    "{{покупател.инн}}",
    "{{покупател.инн}} is no placeholder; did you mean {{покупатель.инн}}?",
  ],
  "a misspelt mark": ["[[таблиц]]", "[[таблиц]] is no mark; did you mean таблица?"],
  "a mark that every object inherits": [
    "[[constructor]]",
    "[[constructor]] is no mark; the marks are таблица, подписи, низ страницы, новая страница",
  ],
  "a heading of three signs": ["### Цена", "### is no mark; use # or ##"],
  "a placeholder that is not closed": ["{{номер", "{{ or }} without its other half"],
  "a placeholder with one brace too few": ["{{номер}", "{{ or }} without its other half"],
  "bold text that is not closed": ["**Цена", "** without its other half on the line"],
  "a page number outside of the footer": [
    "{{страница}}",
    "{{страница}} is known in [[низ страницы]] only",
  ],
  "a heading without text": ["##", "nothing follows ##"],
  "a clause of two halves": ["- слева || справа", "|| is for lines without a mark"],
  "three halves of a line": ["а || б || в", "|| stands more than once on the line"],
};

for (const [what, [line, problem]] of Object.entries(MISSPELT)) {
  Deno.test(`parseTemplate() tells ${what} with file, line and remedy`, () => {
    assertEquals(problemsOf("", line), [`v0/contract.txt:3: ${problem}`]);
  });
}

Deno.test("parseTemplate() tells all mistakes at once, so that one round mends them", () => {
  assertEquals(problemsOf("{{а}}", "{{б}}", "[[в]]").length, 3);
});

Deno.test("parseTemplate() refuses a contract without a title or a place to sign, and one with two titles", () => {
  const problems = (source: string) =>
    assertThrows(() => parseTemplate("v", "f", source), TemplateError).problems;
  assertEquals(problems("текст"), ["f:1: there is no # title", "f:1: there is no [[подписи]]"]);
  assertEquals(problems("# а\n# б\n[[подписи]] в || г"), ["f:2: there is a second # title"]);
  assertEquals(problems("# а\n[[подписи]] в"), [
    "f:2: [[подписи]] needs both parties: [[подписи]] Поставщик || Покупатель",
  ]);
});

Deno.test("parseTemplate() joins the lines of a paragraph until an empty line or another mark", () => {
  const { blocks } = templateOf("", "- один", "  два", "- три", "", "четыре", "пять", "", "шесть");
  assertEquals(blocks.map(({ kind, text }) => `${kind}: ${text}`).slice(1, -1), [
    "clause: один два",
    "clause: три",
    "paragraph: четыре пять",
    "paragraph: шесть",
  ]);
});

Deno.test("parseTemplate() takes a halved line for a part of no paragraph, above or below", () => {
  const { blocks } = templateOf("", "выше", "слева || справа", "ниже", "и ниже");
  assertEquals(blocks.map(({ text }) => text).slice(1, -1), [
    "выше",
    "слева || справа",
    "ниже и ниже",
  ]);
});

Deno.test("parseTemplate() takes what editors of Windows write: a byte order mark and CRLF", () => {
  const source = "\ufeff# Договор\r\n\r\n- один\r\n// заметка\r\n[[Подписи]] а || б\r\n";
  const { blocks } = parseTemplate("v0", "f", source);
  assertEquals(blocks.map(({ kind, text, line }) => [kind, text, line]), [
    ["title", "Договор", 1],
    ["clause", "один", 3],
    ["signatures", "а || б", 5],
  ]);
});

Deno.test("parseTemplate() leaves a hyphen alone that is not the mark of a clause", () => {
  const { blocks } = templateOf("", "-5 градусов");
  assertEquals(blocks[1]!.kind, "paragraph");
});
