import { assertEquals, assertThrows } from "@std/assert";
import { RefusedError } from "../../lib/base/errors.ts";
import { receiverUrl } from "../../lib/cli/receiver.ts";

Deno.test("receiverUrl() never calls an address that stands for all of them, and puts IPv6 into brackets", () => {
  const urlOf = (HOST: string) => receiverUrl("ask", { HOST, PORT: 8080 });
  assertEquals(urlOf("0.0.0.0"), "http://127.0.0.1:8080");
  assertEquals(urlOf("::"), "http://[::1]:8080");
  assertEquals(urlOf("fd00::5"), "http://[fd00::5]:8080");
  assertEquals(urlOf("receiver.local"), "http://receiver.local:8080");
});

Deno.test("receiverUrl() does not guess the port where any free one was taken", () => {
  const error = assertThrows(() => receiverUrl("ask", { HOST: "::", PORT: 0 }), RefusedError);
  assertEquals(error.message, "Cannot ask: PORT is 0, so any port may be it; add --url");
});
