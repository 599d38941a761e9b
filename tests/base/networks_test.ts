import { assertEquals } from "@std/assert";
import { isNetwork, networksOf } from "../../lib/base/networks.ts";

Deno.test("networksOf() knows addresses and networks of both versions, and nobody beside them", () => {
  const known = networksOf(["127.0.0.1", "10.1.0.0/16", "fd00::/8"]);
  for (const address of ["127.0.0.1", "10.1.255.1", "fd12::3", "::ffff:10.1.2.3"]) {
    assertEquals(known(address), true, address);
  }
  for (const address of ["127.0.0.2", "10.2.0.1", "fe80::1", "::1", "localhost", ""]) {
    assertEquals(known(address), false, address);
  }
  assertEquals(networksOf([])("127.0.0.1"), false);
});

Deno.test("isNetwork() takes no name, no half of an address, no length that is none, and no zone, with which no receiver could start", () => {
  for (const text of ["192.0.2.7", "0.0.0.0/0", "192.0.2.0/24", "::1", "2001:db8::/32"]) {
    assertEquals(isNetwork(text), true, text);
  }
  const wrong = [
    "",
    "caddy",
    "192.0.2",
    "192.0.2.7/33",
    "192.0.2.7/-1",
    "192.0.2.7/24/1",
    "::/129",
    "fe80::1%eth0",
    "fe80::%eth0/64",
  ];
  for (const text of wrong) assertEquals(isNetwork(text), false, text);
});
