import { assertEquals } from "@std/assert";
import type { ZodType } from "zod";
import { account, bik, inn, kpp, ogrn } from "../../lib/contracts/requisites.ts";

const problem = (schema: ZodType, text: string) =>
  schema.safeParse(text).error?.issues.map(({ message }) => message).join("; ");

Deno.test("inn takes numbers of companies and of persons, and notices one mistyped digit", () => {
  assertEquals(problem(inn, "7700000009"), undefined);
  assertEquals(problem(inn, "770000000000"), "has a wrong check digit: a digit is mistyped");
  for (let place = 0; place < 10; place++) {
    const digits = [..."7700000009"];
    digits[place] = String((Number(digits[place]) + 1) % 10);
    assertEquals(problem(inn, digits.join("")), "has a wrong check digit: a digit is mistyped");
  }
});

Deno.test("inn and ogrn take a remainder of ten for the check digit 0", () => {
  assertEquals(problem(inn, "7700000070"), undefined);
  assertEquals(problem(ogrn, "1027700000020"), undefined);
});

Deno.test("inn checks both check digits of a person's number", () => {
  const valid = Array.from({ length: 100 }, (_, end) => `7700000000${`${end}`.padStart(2, "0")}`)
    .filter((text) => problem(inn, text) === undefined);
  assertEquals(valid.length, 1);
});

Deno.test("ogrn takes numbers of companies and entrepreneurs with a right check digit only", () => {
  assertEquals(problem(ogrn, "1027700000008"), undefined);
  assertEquals(problem(ogrn, "1027700000007"), "has a wrong check digit: a digit is mistyped");
  const entrepreneurs = Array.from({ length: 10 }, (_, end) => `30470000000000${end}`)
    .filter((text) => problem(ogrn, text) === undefined);
  assertEquals(entrepreneurs.length, 1);
});

Deno.test("a requisite of a wrong length is told how many digits it has to have, and only that", () => {
  assertEquals(problem(inn, "77000000091"), "must have 10 or 12 digits");
  assertEquals(problem(ogrn, "1"), "must have 13 or 15 digits");
  assertEquals(problem(bik, "04452500"), "must have 9 digits");
  assertEquals(problem(account, "4070281000000000000O"), "must have 20 digits");
  assertEquals(problem(kpp, "77000100"), "must have 9 digits");
  assertEquals(problem(kpp, "7700AB001"), undefined);
});
