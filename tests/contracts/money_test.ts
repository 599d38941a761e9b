import { assertEquals } from "@std/assert";
import {
  amountKopecks,
  formatMoney,
  formatQuantity,
  MAX_KOPECKS,
  totalsOf,
} from "../../lib/contracts/money.ts";

Deno.test("amountKopecks() rounds half a kopeck up, and is exact where binary fractions are not", () => {
  const amount = (quantity: string, priceKopecks: number) =>
    amountKopecks({ quantity, priceKopecks });
  assertEquals(amount("0.5", 1), 1);
  assertEquals(amount("0.499", 1), 0);
  // 1.005 * 100 is 100.49999999999999 as a binary fraction.
  assertEquals(amount("1.005", 100), 101);
  assertEquals(amount("37,5", 12_890), 483_375);
  assertEquals(amount("999999999.999", 10_000), 9_999_999_999_990);
});

Deno.test("totalsOf() takes the VAT out of the total, not out of each item, so no kopeck is lost", () => {
  const item = { quantity: "1", priceKopecks: 10 };
  assertEquals(totalsOf([item, item, item], 20), { totalKopecks: 30, vatKopecks: 5 });
  assertEquals(totalsOf([{ quantity: "1", priceKopecks: 12_200 }], 22).vatKopecks, 2_200);
  assertEquals(totalsOf([item], null), { totalKopecks: 10, vatKopecks: null });
  assertEquals(totalsOf([item], 0), { totalKopecks: 10, vatKopecks: 0 });
});

Deno.test("formatMoney() groups digits with spaces that do not break, and always has two places", () => {
  const shown = (kopecks: number) => formatMoney(kopecks).replaceAll("\u00a0", "_");
  assertEquals([0, 5, 100, 99_999, 100_000].map(shown), [
    "0,00",
    "0,05",
    "1,00",
    "999,99",
    "1_000,00",
  ]);
  assertEquals(shown(MAX_KOPECKS), "999_999_999_999,99");
});

Deno.test("formatQuantity() shows the places that are needed, and no more", () => {
  const shown = ["2", "2.50", "0,125", "1250.000"].map(formatQuantity);
  assertEquals(shown, ["2", "2,5", "0,125", "1\u00a0250"]);
});
