import { assertEquals } from "@std/assert";
import { nameHint, nearest } from "../../lib/base/nearest.ts";

Deno.test("nearest() finds the closest of several misspellings", () => {
  assertEquals(nearest("DATABASE_URL", ["DATABSE_URI", "DATABSE_URL", "PATH"]), "DATABSE_URL");
  assertEquals(nearest("PORT", ["PROT"]), "PROT");
});

Deno.test("nearest() takes no other word for a misspelling", () => {
  assertEquals(nearest("DATABASE_URL", ["HOME", "DATABASE_NAME", ""]), undefined);
  assertEquals(nearest("PORT", []), undefined);
});

Deno.test("nameHint() names what was meant, and all there are when that is not clear", () => {
  assertEquals(nameHint("sit", ["site", "telegram"], "sources"), "did you mean site?");
  assertEquals(nameHint("shop", ["site", "telegram"], "sources"), "the sources are site, telegram");
});
