import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { PermanentError } from "../../lib/base/errors.ts";
import { checkName, checkSame, sha256 } from "../../lib/contracts/storage.ts";

Deno.test("checkName() lets no name lead out of the storage or need an escape", () => {
  for (const name of ["", ".", "..", "../a", "a/b", "/a", ".hidden", "a b", "а", "a\0", "a?b"]) {
    assertThrows(() => checkName(name), PermanentError, "the name must fit");
  }
  checkName("contract-1-2-v1.pdf");
});

Deno.test("sha256() is the hash that other tools show", async () => {
  assertEquals(
    await sha256(new TextEncoder().encode("abc")),
    "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
  );
});

Deno.test("checkSame() tells other bytes apart, and says what a person can do", async () => {
  const bytes = Uint8Array.of(1);
  assertEquals(await checkSame("p", bytes, await sha256(bytes)), {
    path: "p",
    sha256: await sha256(bytes),
  });
  const hash = await sha256(Uint8Array.of(2));
  await assertRejects(() => checkSame("p", bytes, hash), PermanentError, "other bytes are there");
});
