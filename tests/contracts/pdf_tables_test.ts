import { assertEquals } from "@std/assert";
import type { Block } from "../../lib/contracts/document.ts";
import { itemsTable, signaturesTable } from "../../lib/contracts/pdf_tables.ts";
import { documentOf } from "./support.ts";

interface Table {
  readonly unbreakable?: boolean;
  readonly table: {
    readonly headerRows?: number;
    readonly dontBreakRows?: boolean;
    readonly body: readonly { readonly text?: string; readonly alignment?: string }[][];
  };
}

async function blockOf<K extends Block["kind"]>(kind: K): Promise<Extract<Block, { kind: K }>> {
  const { blocks } = await documentOf(["[[таблица]]"]);
  return blocks.find((block) => block.kind === kind) as Extract<Block, { kind: K }>;
}

Deno.test("The table of items repeats its header, tears no row, and ends with the totals", async () => {
  const { table } = itemsTable(await blockOf("items")) as unknown as Table;
  assertEquals([table.headerRows, table.dontBreakRows, table.body.length], [1, true, 7]);
  assertEquals(table.body.map((row) => row.length), Array(7).fill(6));
  assertEquals(table.body.slice(-2).map((row) => [row[0]!.text, row[5]!.text]), [
    ["Итого", "523\u00a0334,75"],
    ["В том числе НДС 22 %", "94\u00a0371,84"],
  ]);
});

Deno.test("All sums stand to the right, so that their kopecks are in one column", async () => {
  const { table } = itemsTable(await blockOf("items")) as unknown as Table;
  const [, ...rows] = table.body;
  assertEquals(new Set(rows.map((row) => row[5]!.alignment)), new Set(["right"]));
});

Deno.test("The signatures are not torn, and both parties have the same rows", async () => {
  const { sides } = await blockOf("signatures");
  const { table, unbreakable } = signaturesTable(sides) as unknown as Table;
  assertEquals(unbreakable, true);
  assertEquals(table.body.map((row) => row.length), [2, 2, 2, 2]);
});
