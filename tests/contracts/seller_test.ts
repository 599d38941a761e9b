import { assertEquals, assertThrows } from "@std/assert";
import { loadSettings } from "../../lib/base/config.ts";
import { PermanentError } from "../../lib/base/errors.ts";
import { sellerOf, sellerSettings } from "../../lib/contracts/seller.ts";
import { sampleData } from "./support.ts";

async function environment(): Promise<Record<string, string>> {
  const { seller } = await sampleData();
  return {
    CONTRACT_SELLER_NAME: seller.name,
    CONTRACT_SELLER_INN: seller.inn,
    CONTRACT_SELLER_KPP: seller.kpp!,
    CONTRACT_SELLER_OGRN: seller.ogrn,
    CONTRACT_SELLER_ADDRESS: seller.address,
    CONTRACT_SELLER_ACCOUNT: seller.account,
    CONTRACT_SELLER_BANK: seller.bank,
    CONTRACT_SELLER_BIK: seller.bik,
    CONTRACT_SELLER_CORRESPONDENT_ACCOUNT: seller.correspondentAccount,
    CONTRACT_SELLER_PHONE: seller.phone!,
    CONTRACT_SELLER_EMAIL: seller.email!,
    CONTRACT_SELLER_POSITION: seller.signatory.position,
    CONTRACT_SELLER_SIGNATORY: seller.signatory.name,
    CONTRACT_SELLER_REPRESENTED: seller.signatory.represented,
  };
}

Deno.test("sellerOf() puts every variable where it belongs", async () => {
  const settings = loadSettings(await environment(), sellerSettings);
  assertEquals(Object.keys(settings), Object.keys(await environment()));
  assertEquals(sellerOf(settings), (await sampleData()).seller);
});

Deno.test("sellerOf() names all variables that are missing or mistyped, and not their values", async () => {
  const { CONTRACT_SELLER_BIK: _, CONTRACT_SELLER_SIGNATORY: __, ...rest } = await environment();
  const settings = loadSettings({ ...rest, CONTRACT_SELLER_INN: "7700000008" }, sellerSettings);
  const error = assertThrows(() => sellerOf(settings), PermanentError);
  assertEquals(
    error.message,
    "Cannot make the contract: CONTRACT_SELLER_INN has a wrong check digit: a digit is mistyped; " +
      "CONTRACT_SELLER_BIK is missing; CONTRACT_SELLER_SIGNATORY is missing; set it, restart, then retry",
  );
});
