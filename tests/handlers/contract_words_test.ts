import { assert, assertEquals } from "@std/assert";
import { fieldLabel, markOf, missingText, noteText } from "../../lib/handlers/contract_words.ts";

Deno.test("No mark is a part of another, so that the note of v1 is not taken for that of v10", () => {
  const [one, ten] = ["contract:1:4521:v1", "contract:1:4521:v10"].map(markOf);
  assert(!ten!.includes(one!) && !markOf("contract:1:45210:v1").includes(one!));
});

Deno.test("A note names number, date and file, and the address of the file where there is one", () => {
  const contract = { number: "2026-0001", date: "2026-12-01", path: "contract-1.pdf" };
  const text = (folder: string | undefined) =>
    noteText(contract, { folder, mark: "[m]" }).replaceAll("\u00a0", " ");
  assertEquals(
    text(undefined),
    "Договор № 2026-0001 от 1 декабря 2026 г. готов: contract-1.pdf\n[m]",
  );
  assert(
    text("https://files.example.com/c/").includes(" https://files.example.com/c/contract-1.pdf\n"),
  );
});

Deno.test("What is missing is named in the words of people, each once", () => {
  assertEquals(
    ["buyer.inn", "buyer.signatory.name", "items.1.priceKopecks", "поле.Гарантия", "city", "other"]
      .map(fieldLabel),
    [
      "ИНН покупателя",
      "подписант покупателя",
      "цена товара 2 (или название и бюджет сделки)",
      "поле сделки Гарантия",
      "город договора (настройка CONTRACT_CITY)",
      "other",
    ],
  );
  const text = missingText([
    { field: "buyer.inn", problem: "is missing" },
    { field: "buyer.inn", problem: "is missing, and v1/contract.txt:1 needs it" },
    { field: "buyer.bik", problem: "must have 9 digits" },
  ], "[m]");
  assertEquals(text.split("\n").slice(1), [
    "— ИНН покупателя: не заполнено",
    "— БИК покупателя: указано неверно",
    "[m]",
  ]);
});
