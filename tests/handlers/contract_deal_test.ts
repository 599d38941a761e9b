import { assertEquals } from "@std/assert";
import { contractOf } from "../../lib/handlers/contract_deal.ts";
import type { Deal } from "../../lib/outside/amocrm/deals.ts";
import { dealOf, fieldOf, itemOf } from "./contract_deals.ts";

const read = (deal: Deal) => contractOf(deal, { timeZone: "Europe/Moscow", buyerFields: {} });

Deno.test("Items have their price to the kopeck, and their unit if they have one", () => {
  const metres = [fieldOf("Ед. изм.", ["м"]), fieldOf("Цена", ["128,9"], { code: "PRICE" })];
  const items = [itemOf(), itemOf({ name: "Кабель", quantity: 37.5, fields: metres })];
  assertEquals(read(dealOf({ items })).items, [
    { name: "Ворота", quantity: "2", unit: "шт.", priceKopecks: 18_400_050 },
    { name: "Кабель", quantity: "37.5", unit: "м", priceKopecks: 12_890 },
  ]);
});

Deno.test("A price with parts of a kopeck, or none, is no price: nothing is rounded into a contract", () => {
  for (const price of ["1.005", "", "1e3", "-1", "сто"]) {
    const [item] = read(dealOf({ items: [itemOf({ price })] })).items as {
      priceKopecks: unknown;
    }[];
    assertEquals(item!.priceKopecks, undefined, price);
  }
});

Deno.test("A deal without items is one line with its name and its sum; without a sum the line has no price", () => {
  const line = { name: "Ворота, д. 7", quantity: "1", unit: "шт." };
  const { items } = read(dealOf({ lead: { name: "Ворота, д. 7", price: 184_000 } }));
  assertEquals(items, [{ ...line, priceKopecks: 18_400_000 }]);
  assertEquals(read(dealOf()).items, [{ ...line, name: undefined, priceKopecks: undefined }]);
});

Deno.test("An item that has left its catalog leaves a line that cannot be printed, not a contract without it", () => {
  const two = [1, 2].map((id) => ({ id: `${id}`, catalogId: "77", quantity: 1 }));
  const deal = dealOf({ items: [itemOf()], lead: { items: two } });
  assertEquals((read(deal).items as unknown[]).map((item) => Object.keys(item!).length), [4, 0]);
});

Deno.test("Fields of the deal read as in a sentence: dates in the time zone, yes and no, several values, no files", () => {
  const night = Date.UTC(2026, 10, 30, 22) / 1000;
  const fields = [
    fieldOf("Дата монтажа", [night], { type: "date" }),
    fieldOf("Срочно", [true], { type: "checkbox" }),
    fieldOf("Цвета", ["белый", "серый"], { type: "multiselect" }),
    fieldOf("Скан", [{ file_uuid: "x" }], { type: "file" }),
  ];
  assertEquals(read(dealOf({ lead: { fields } })).fields, {
    "Дата монтажа": "1\u00a0декабря\u00a02026\u00a0г.",
    "Срочно": "да",
    "Цвета": "белый, серый",
  });
});
