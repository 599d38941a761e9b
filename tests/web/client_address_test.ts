import { assertEquals } from "@std/assert";
import { networksOf } from "../../lib/base/networks.ts";
import { clientAddress } from "../../lib/web/client_address.ts";

const PROXY = "10.0.0.2";
const trusted = networksOf(["127.0.0.1", PROXY]);

Deno.test("who is no trusted proxy cannot say that somebody else sent the request", () => {
  assertEquals(clientAddress("192.0.2.7", "198.51.100.1", trusted), "192.0.2.7");
  assertEquals(clientAddress("127.0.0.1", "198.51.100.1", networksOf([])), "127.0.0.1");
});

Deno.test("of what a proxy passes on only its own word counts: the sender wrote what stands further left", () => {
  assertEquals(clientAddress("127.0.0.1", "192.0.2.7", trusted), "192.0.2.7");
  assertEquals(clientAddress("127.0.0.1", "203.0.113.9, 192.0.2.7", trusted), "192.0.2.7");
});

Deno.test("the words of two proxies in a row are followed to the sender", () => {
  assertEquals(
    clientAddress("127.0.0.1", `203.0.113.9, 192.0.2.7, ${PROXY}`, trusted),
    "192.0.2.7",
  );
});

Deno.test("where a proxy says nothing that is an address, the last one that is known stands", () => {
  assertEquals(clientAddress("127.0.0.1", null, trusted), "127.0.0.1");
  assertEquals(clientAddress("127.0.0.1", "", trusted), "127.0.0.1");
  assertEquals(clientAddress("127.0.0.1", `unknown, ${PROXY}`, trusted), PROXY);
});
