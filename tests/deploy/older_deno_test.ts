import { assertEquals } from "@std/assert";
import { isOlder, olderEntry } from "../../deploy/older_deno.ts";

Deno.test("isOlder() compares numbers, so that 2.10 is newer than 2.9, and asks nothing of a later Deno", () => {
  const older = ["2.4.2", "2.6.10", "2.7.0", "2.10.1", "3.0.0"].filter(isOlder);
  assertEquals(older, ["2.4.2", "2.6.10"]);
});

Deno.test("olderEntry() sets right what is wrong before the program's own modules run", () => {
  const imports = olderEntry("main.ts").match(/(?<=import ").*(?=")/g);
  assertEquals(imports, ["../deploy/older_deno_hex.ts", "../main.ts"]);
});

Deno.test("the toHex for an older Deno gives what the right one gives, also for a part of a buffer", async () => {
  const bytes = crypto.getRandomValues(new Uint8Array(100));
  const parts = [bytes, bytes.subarray(3, 40), new Uint8Array()];
  const right = parts.map((part) => part.toHex());
  await import("../../deploy/older_deno_hex.ts");
  assertEquals(parts.map((part) => part.toHex()), right);
});
