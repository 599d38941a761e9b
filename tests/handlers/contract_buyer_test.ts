import { assertEquals, assertStringIncludes } from "@std/assert";
import { buyerFields, buyerOf } from "../../lib/handlers/contract_buyer.ts";
import { dealOf, fieldOf } from "./contract_deals.ts";

Deno.test("Requisites are found by name, code or id, with ё or е, in capitals or not, and empty ones are not there", () => {
  const fields = [
    fieldOf("  инн ", [7_700_000_016]),
    fieldOf("Расчетный счет", [" 40702810000000000002 "]),
    fieldOf("Телефон", ["+7 1", "+7 2"], { code: "PHONE", type: "multitext" }),
    fieldOf("КПП", [" "]),
    fieldOf("Банк", [], { id: "5" }),
    fieldOf("Наш банк", ["АО «Банк»"], { id: "880201" }),
  ];
  const buyer = buyerOf(dealOf({ company: { name: "ООО", fields } }), { bank: "880201" });
  const { name, inn, account, phone, kpp, bank } = buyer;
  assertEquals({ name, inn, account, phone, kpp, bank }, {
    name: "ООО",
    inn: "7700000016",
    account: "40702810000000000002",
    phone: "+7 1",
    kpp: undefined,
    bank: "АО «Банк»",
  });
});

Deno.test("What the company lacks is taken from the contact, who may be an entrepreneur without a company", () => {
  const contact = {
    name: "ИП",
    fields: [fieldOf("ИНН", ["2"]), fieldOf("Должность", ["Директор"], { code: "POSITION" })],
  };
  const company = { name: "ООО", fields: [fieldOf("ИНН", ["1"])] };
  const both = buyerOf(dealOf({ company, contact }), {});
  assertEquals([both.name, both.inn, both.signatory], ["ООО", "1", {
    position: "Директор",
    name: undefined,
    represented: undefined,
  }]);
  const alone = buyerOf(dealOf({ contact }), {});
  assertEquals([alone.name, alone.inn], ["ИП", "2"]);
});

Deno.test("A field of the type legal_entity gives what no field of its own does", () => {
  const value = {
    name: "ООО «Полное»",
    vat_id: "1",
    kpp: "2",
    bank_code: "3",
    bank_account_number: "4",
  };
  const fields = [fieldOf("Юр. лицо", [value], { type: "legal_entity" }), fieldOf("КПП", ["9"])];
  const { name, inn, kpp, bik, account, address } = buyerOf(
    dealOf({ company: { name: "ООО", fields } }),
    {},
  );
  assertEquals([name, inn, kpp, bik, account, address], [
    "ООО «Полное»",
    "1",
    "9",
    "3",
    "4",
    undefined,
  ]);
});

Deno.test("CONTRACT_BUYER_FIELDS takes pairs, and names what it does not understand", () => {
  const read = (text?: string) => buyerFields.schema.safeParse(text);
  assertEquals(read().data, {});
  assertEquals(read("inn=880201, signatory.name = Кто подписывает").data, {
    inn: "880201",
    "signatory.name": "Кто подписывает",
  });
  const messageOf = (text: string) => read(text).error!.issues.map(({ message }) => message).join();
  assertStringIncludes(messageOf("inn"), "a part without a field");
  assertStringIncludes(messageOf("imn=1"), "did you mean inn?");
  assertStringIncludes(messageOf("toString=1"), "the requisites are");
});
