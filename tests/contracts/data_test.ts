import { assertEquals, assertInstanceOf, assertStringIncludes, assertThrows } from "@std/assert";
import { PermanentError } from "../../lib/base/errors.ts";
import { ContractDataError, parseContractData } from "../../lib/contracts/data.ts";
import { sampleData } from "./support.ts";

const problemsOf = (input: unknown) => {
  const error = assertThrows(() => parseContractData(input), ContractDataError);
  return error.problems.map(({ field, problem }) => `${field} ${problem}`);
};

Deno.test("A contract with a missing requisite fails for good, and names every field at once", async () => {
  const { buyer, ...rest } = await sampleData();
  const { inn: _, bank: __, ...poor } = buyer;
  const error = assertThrows(() => parseContractData({ ...rest, buyer: poor }), ContractDataError);
  assertInstanceOf(error, PermanentError);
  assertEquals(error.problems, [
    { field: "buyer.inn", problem: "is missing" },
    { field: "buyer.bank", problem: "is missing" },
  ]);
  assertStringIncludes(error.message, "buyer.inn is missing");
});

Deno.test("An empty field of the CRM counts as missing, not as a requisite", async () => {
  const data = await sampleData();
  assertEquals(problemsOf({ ...data, buyer: { ...data.buyer, address: "  " } }), [
    "buyer.address is empty",
  ]);
});

Deno.test("A company without a KPP is refused, an entrepreneur without one is not", async () => {
  const data = await sampleData();
  assertEquals(problemsOf({ ...data, buyer: { ...data.buyer, kpp: undefined } }), [
    "buyer.kpp is missing: a company has one",
  ]);
  const person = { ...data.buyer, kpp: undefined, inn: "500100732259", ogrn: "304500116000157" };
  assertEquals(parseContractData({ ...data, buyer: person }).buyer.kpp, undefined);
});

Deno.test("Money with a fraction of a kopeck, a negative price and a wordy quantity are refused", async () => {
  const data = await sampleData();
  const [item] = data.items;
  const items = [
    { ...item, priceKopecks: 10.5 },
    { ...item, priceKopecks: -1 },
    { ...item, quantity: "two" },
    { ...item, quantity: "1.0001" },
  ];
  assertEquals(problemsOf({ ...data, items }).map((problem) => problem.split(" ")[0]), [
    "items.0.priceKopecks",
    "items.1.priceKopecks",
    "items.2.quantity",
    "items.3.quantity",
  ]);
});

Deno.test("A total beyond what can be written in words is refused before anything is printed", async () => {
  const data = await sampleData();
  const item = { name: "a", quantity: "1000", unit: "b", priceKopecks: 1e12 };
  assertEquals(problemsOf({ ...data, items: [item] }), [
    "items come to more than can be written in words",
  ]);
});

Deno.test("A quantity that came as a number is kept exactly as it was written", async () => {
  const data = await sampleData();
  const items = [{ name: "a", quantity: 0.1, unit: "b", priceKopecks: 1 }];
  assertEquals(parseContractData({ ...data, items }).items[0]!.quantity, "0.1");
});

Deno.test("A date that the calendar does not have is refused", async () => {
  assertEquals(problemsOf({ ...await sampleData(), date: "2026-02-30" }), [
    "date must be a date such as 2026-12-31",
  ]);
});
