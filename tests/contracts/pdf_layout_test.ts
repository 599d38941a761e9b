import { assertEquals } from "@std/assert";
import type { ContractDocument } from "../../lib/contracts/document.ts";
import { pdfDefinition } from "../../lib/contracts/pdf_layout.ts";
import { documentOf } from "./support.ts";

interface Group {
  readonly stack: readonly unknown[];
  readonly unbreakable: boolean;
}

const LONG = "очень длинный пункт ".repeat(100);
const groupsOf = (document: ContractDocument) => pdfDefinition(document).content as Group[];
const sizesOf = (document: ContractDocument) =>
  groupsOf(document).map(({ stack, unbreakable }) => unbreakable ? stack.length : -stack.length);

Deno.test("No page ends with a heading, and none holds the signatures alone", async () => {
  // Title; heading and clause; clause; clause, heading and signatures.
  const lines = ["## А", "- б", "- в", "- г", "## Подписи"];
  assertEquals(sizesOf(await documentOf(lines)), [1, 2, 1, 3]);
});

Deno.test("A clause that announces others stays with the first of them only", async () => {
  assertEquals(sizesOf(await documentOf(["## А", "- б", "- в:", "-- г", "-- д", "- е"])), [
    1,
    2,
    2,
    1,
    2,
  ]);
});

Deno.test("What may be longer than a page can be torn: a long clause, a table, a page break", async () => {
  assertEquals(sizesOf(await documentOf([`- ${LONG}`, "## Подписи"])), [1, -1, 2]);
  assertEquals(sizesOf(await documentOf(["## А", `- ${LONG}`])), [1, 1, -1, -1]);
  assertEquals(sizesOf(await documentOf(["[[таблица]]"])), [1, -1, -1]);
  assertEquals(sizesOf(await documentOf(["## А", "[[таблица]]"])), [1, 1, -1, -1]);
  assertEquals(sizesOf(await documentOf(["[[новая страница]]", "## Подписи"])), [1, -1, 2]);
});

Deno.test("The dates of the file are those of the contract, not those of the printing", async () => {
  const { info } = pdfDefinition(await documentOf([])) as { info: Record<string, Date> };
  const dates = [info.creationDate, info.modDate].map((date) => date!.toISOString());
  assertEquals(dates, ["2026-12-01T00:00:00.000Z", "2026-12-01T00:00:00.000Z"]);
});

Deno.test("Each page says which it is and how many there are", async () => {
  const document = await documentOf(["[[низ страницы]] № 1 || Стр. {{страница}} из {{страниц}}"]);
  const footer = pdfDefinition(document).footer as (page: number, pages: number) => {
    columns: { text: { text: string }[] }[];
  };
  const shown = footer(1, 3).columns.map(({ text }) => text.map(({ text }) => text).join(""));
  assertEquals(shown, ["№\u00a01", "Стр. 1 из 3"]);
});
