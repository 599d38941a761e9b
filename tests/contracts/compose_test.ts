import { assertEquals, assertRejects } from "@std/assert";
import { ContractDataError } from "../../lib/contracts/data.ts";
import type { Block, Run } from "../../lib/contracts/document.ts";
import { documentOf, sampleData } from "./support.ts";

const plain = (runs: readonly Run[]) =>
  runs.map(({ text }) => text).join("").replaceAll("\u00a0", " ");
const runsOf = (block: Block | undefined) => block && "runs" in block ? block.runs : [];
const texts = (blocks: readonly Block[]) =>
  blocks.flatMap((block) => "runs" in block ? [plain(block.runs)] : []);

Deno.test("compose() numbers headings, clauses and clauses of clauses, and begins anew under each", async () => {
  const { blocks } = await documentOf(["## А", "- б", "- в", "-- г", "-- д", "- е", "## Ж", "- з"]);
  const numbers = blocks.flatMap((block) => "number" in block ? [block.number] : []);
  assertEquals(numbers, ["1.", "1.1.", "1.2.", "1.2.1.", "1.2.2.", "1.3.", "2.", "2.1."]);
});

Deno.test("compose() fills placeholders, and takes no stars of a value for a mark", async () => {
  const { blocks } = await documentOf(["", "**Город:** {{ Город }}"], { city: "**Тверь" });
  const [, paragraph] = blocks;
  assertEquals(runsOf(paragraph), [
    { text: "Город:", bold: true },
    { text: " **Тверь", bold: false },
  ]);
});

Deno.test("compose() does not look for placeholders in values", async () => {
  const { blocks } = await documentOf(["", "{{город}}"], { city: "{{номер}}" });
  assertEquals(texts(blocks)[1], "{{номер}}");
});

Deno.test("compose() names each field that the template needs and the deal does not have, with file and line", async () => {
  const { buyer } = await sampleData();
  const { phone: _, ...silent } = buyer;
  const lines = ["", "{{поле.Срок}}", "", "{{ покупатель.телефон }}"];
  const error = await assertRejects(
    () => documentOf(lines, { fields: {}, buyer: silent }),
    ContractDataError,
  );
  assertEquals(error.problems, [
    { field: "поле.Срок", problem: "is missing, and v0/contract.txt:3 needs it" },
    { field: "покупатель.телефон", problem: "is missing, and v0/contract.txt:5 needs it" },
  ]);
});

Deno.test("compose() doubles no point where an abbreviation ends the sentence", async () => {
  const { blocks } = await documentOf(["", "Итого, {{ндс}}. Далее..."]);
  assertEquals(texts(blocks)[1], "Итого, в том числе НДС 22 % — 94 371,84 руб. Далее...");
});

Deno.test("compose() lets no line end with a preposition or №, and none begin with a dash or a unit", async () => {
  const { blocks } = await documentOf(["", "в доме № 5 — 60 мм"]);
  assertEquals(
    runsOf(blocks[1])[0]!.text,
    "в\u00a0доме №\u00a05\u00a0— 60\u00a0мм",
  );
});

Deno.test("compose() leaves the page numbers of the footer to whoever prints", async () => {
  const { footer } = await documentOf([
    "[[низ страницы]] № {{номер}} || Стр. {{страница}} из {{страниц}}",
  ]);
  assertEquals(plain(footer.left as Run[]), "№ 2026-0001");
  assertEquals(footer.right.map((run) => "page" in run ? run.page : run.text), [
    "Стр. ",
    "number",
    " из ",
    "count",
  ]);
});

Deno.test("compose() gives the table exact amounts, and totals that are their sum", async () => {
  const { blocks } = await documentOf(["[[таблица]]"]);
  const table = blocks.find((block) => block.kind === "items")!;
  assertEquals(table.rows[2], {
    name: "Кабель силовой 3\u00a0× 2,5\u00a0мм²",
    quantity: "37,5",
    unit: "м",
    price: "128,90",
    amount: "4\u00a0833,75",
  });
  assertEquals(table.totals, [
    { label: "Итого", amount: "523\u00a0334,75" },
    { label: "В том числе НДС 22 %", amount: "94\u00a0371,84" },
  ]);
});

Deno.test("compose() says of a contract without VAT that none is paid", async () => {
  const { blocks } = await documentOf(["[[таблица]]"], { vatPercent: null });
  const table = blocks.find((block) => block.kind === "items")!;
  assertEquals(table.totals[1], { label: "НДС", amount: "не облагается" });
});

Deno.test("compose() names the requisites that a party has, and those of entrepreneurs by their names", async () => {
  const { buyer } = await sampleData();
  const { kpp: _, phone: __, ...rest } = buyer;
  const person = { ...rest, inn: "500100732259", ogrn: "304500116000157" };
  const { blocks } = await documentOf([], { buyer: person });
  const signatures = blocks.find((block) => block.kind === "signatures")!;
  const [seller, second] = signatures.sides;
  assertEquals([seller.role, second.role], ["Поставщик", "Покупатель"]);
  assertEquals(seller.lines[1], "ИНН / КПП 7700000009 / 770001001");
  assertEquals(second.lines.slice(1, 3), ["ИНН 500100732259", "ОГРНИП 304500116000157"]);
  assertEquals(second.lines.some((line) => line.startsWith("Тел.")), false);
});
