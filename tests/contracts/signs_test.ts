import { assertEquals, assertStringIncludes } from "@std/assert";
import { ContractDataError, parseContractData } from "../../lib/contracts/data.ts";
import { makePdf } from "../../lib/contracts/pdf.ts";
import { compose } from "../../lib/contracts/compose.ts";
import { checkSigns, UNDRAWN } from "../../lib/contracts/signs.ts";
import { missingText } from "../../lib/handlers/contract_words.ts";
import { sampleData, templateOf } from "./support.ts";

const template = templateOf("Срок: {{поле.Срок}}.");

async function problemsOf(name: string, fields: Record<string, string> = {}) {
  const sample = await sampleData({ fields });
  const data = { ...sample, buyer: { ...sample.buyer, name } };
  try {
    checkSigns(template, data);
    return [];
  } catch (error) {
    return (error as ContractDataError).problems;
  }
}

Deno.test("A sign that the font does not have is told to the manager; the contract would lose it without a word", async () => {
  assertEquals(await problemsOf("Труба ⌀ 20 → 漢 \u0007"), [{
    field: "buyer.name",
    problem: `${UNDRAWN}⌀ (U+2300), → (U+2192), 漢 (U+6F22), U+0007`,
  }]);
  const task = missingText(await problemsOf("漢"), "[hw:x]");
  assertStringIncludes(task, "покупателя: замените знаки, которых нет в шрифте: 漢 (U+6F22)");
});

Deno.test("Letters of Kazakh and signs of a business are no reason to refuse a contract, nor is what nobody sees", async () => {
  const name = "Қазақстан ӘҢҒҮҰҚӨҺІ «Ёж» № 5 — 20 м², ±½ ≤ 3 ₽ € Ø\u00a0\u202f\u200d\ufeff\u2028\n";
  assertEquals(await problemsOf(name), []);
});

Deno.test("A field of the deal that the template does not name may hold what it likes", async () => {
  assertEquals(await problemsOf("ООО", { Пожелание: "🙂" }), []);
  const [problem] = await problemsOf("ООО", { Срок: "🙂" });
  assertEquals(problem?.field, "поле.срок");
});

Deno.test("A letter that came as a letter and a mark is put together, for the font has no mark to add", async () => {
  const sample = await sampleData();
  const name = "Й".normalize("NFD");
  const data = parseContractData({ ...sample, buyer: { ...sample.buyer, name } });
  assertEquals(data.buyer.name, "Й");
});

Deno.test("What counts as drawn is drawn: each such sign leaves a trace of its own in the PDF", async () => {
  const sizeOf = async (name: string) => {
    const sample = await sampleData({ fields: { срок: "1" } });
    const data = { ...sample, buyer: { ...sample.buyer, name } };
    return (await makePdf(compose(template, data))).length;
  };
  const without = await sizeOf("A");
  assertEquals(await sizeOf("A漢⌀→") - without < 100, true);
  assertEquals(await sizeOf("AҢ½№₽") - without > 300, true);
});
