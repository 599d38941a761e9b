import { assertEquals } from "@std/assert";
import { tokenEnd } from "../../../lib/outside/amocrm/jwt.ts";
import { jwtOf } from "./support.ts";

Deno.test("tokenEnd() reads the end of a token, and takes a strange one for one that does not say", () => {
  assertEquals(tokenEnd(jwtOf({ exp: 1_790_000_000 })), new Date(1_790_000_000_000));
  for (const claims of [{}, { exp: "soon" }, []]) assertEquals(tokenEnd(jwtOf(claims)), undefined);
  for (const text of ["", "a", "a.b.c", "a.!!.c", `a.${btoa("no json")}.c`]) {
    assertEquals(tokenEnd(text), undefined, text);
  }
});
