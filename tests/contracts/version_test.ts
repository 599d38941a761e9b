import { assertEquals, assertMatch, assertNotEquals } from "@std/assert";
import type { ContractData } from "../../lib/contracts/data.ts";
import { versionOf } from "../../lib/contracts/version.ts";
import { sampleData, templateOf } from "./support.ts";

const TEMPLATE = templateOf("- Срок: {{поле.Срок поставки}}");
const versionWith = async (change: Partial<ContractData>) =>
  await versionOf("per-terms", TEMPLATE, await sampleData(change));

Deno.test("With once the version is the template's, whatever the terms are", async () => {
  for (const change of [{}, { items: [] }]) {
    assertEquals(await versionOf("once", TEMPLATE, await sampleData(change)), "v0");
  }
});

Deno.test("With per-terms another price, party, VAT or named field makes another version, and one that fits a file's name", async () => {
  const { items, buyer, fields } = await sampleData();
  const [first, ...others] = items;
  const plain = await versionWith({});
  assertMatch(plain, /^v0-[0-9a-f]{12}$/);
  for (
    const change of [
      { items: [{ ...first!, priceKopecks: first!.priceKopecks + 1 }, ...others] },
      { items: others },
      { buyer: { ...buyer, inn: "7700000009" } },
      { vatPercent: null },
      { fields: { ...fields, "Срок поставки": "завтра" } },
    ]
  ) assertNotEquals(await versionWith(change), plain);
});

Deno.test("With per-terms number, date, and fields that the template does not name, make no other version", async () => {
  const { fields } = await sampleData();
  const plain = await versionWith({});
  for (
    const change of [
      { number: "other" },
      { date: "2027-01-01" },
      { fields: { "Источник": "звонок", ...fields } },
      { fields: Object.fromEntries(Object.entries(fields).reverse()) },
    ]
  ) assertEquals(await versionWith(change), plain);
});
