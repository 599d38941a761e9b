import { assertEquals, assertThrows } from "@std/assert";
import { MAX_KOPECKS } from "../../lib/contracts/money.ts";
import { amountInWords, numberInWords, plural } from "../../lib/contracts/words.ts";

const AMOUNTS: Record<string, number> = {
  "Ноль рублей 00 копеек": 0,
  "Ноль рублей 01 копейка": 1,
  "Один рубль 02 копейки": 102,
  "Два рубля 05 копеек": 205,
  "Пять рублей 11 копеек": 511,
  "Одиннадцать рублей 12 копеек": 1_112,
  "Двенадцать рублей 21 копейка": 1_221,
  "Четырнадцать рублей 22 копейки": 1_422,
  "Двадцать один рубль 99 копеек": 2_199,
  "Сто одиннадцать рублей 00 копеек": 11_100,
  "Одна тысяча рублей 00 копеек": 100_000,
  "Две тысячи один рубль 00 копеек": 200_100,
  "Одиннадцать тысяч рублей 00 копеек": 1_100_000,
  "Двадцать одна тысяча двадцать два рубля 00 копеек": 2_102_200,
  "Сто восемьдесят четыре тысячи рублей 00 копеек": 18_400_000,
  "Один миллион рублей 00 копеек": 100_000_000,
  "Два миллиона три тысячи четыре рубля 00 копеек": 200_300_400,
  "Пять миллионов рублей 00 копеек": 500_000_000,
  "Один миллиард два рубля 00 копеек": 100_000_000_200,
  "Двадцать два миллиарда одиннадцать миллионов рублей 00 копеек": 2_201_100_000_000,
};

for (const [words, kopecks] of Object.entries(AMOUNTS)) {
  Deno.test(`amountInWords() writes ${kopecks} kopecks with right genders and plurals`, () => {
    assertEquals(amountInWords(kopecks).replaceAll("\u00a0", " "), words);
  });
}

Deno.test("amountInWords() writes the largest sum, and refuses what it would write wrong", () => {
  assertEquals(
    amountInWords(MAX_KOPECKS).replaceAll("\u00a0", " "),
    "Девятьсот девяносто девять миллиардов девятьсот девяносто девять миллионов девятьсот девяносто девять тысяч девятьсот девяносто девять рублей 99 копеек",
  );
  for (const kopecks of [MAX_KOPECKS + 1, -1, 0.5, NaN]) {
    assertThrows(() => amountInWords(kopecks), RangeError);
  }
});

Deno.test("numberInWords() counts feminine nouns too, and never ends in a space", () => {
  assertEquals(numberInWords(1, "feminine"), "одна");
  assertEquals(numberInWords(42, "feminine"), "сорок две");
  assertEquals(numberInWords(1_000_000, "masculine"), "один миллион");
  assertThrows(() => numberInWords(1e12, "masculine"), RangeError);
});

Deno.test("plural() knows that 11 to 14 go with many", () => {
  const forms = ["день", "дня", "дней"] as const;
  const shown = [0, 1, 2, 4, 5, 11, 14, 21, 24, 111, 112, 121].map((n) => plural(n, forms));
  assertEquals(
    shown.join(" "),
    "дней день дня дня дней дней дней день дня дней дней день",
  );
});
