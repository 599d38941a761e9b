/**
 * Which addresses belong to which networks.
 * @module
 */
import { BlockList, isIP } from "node:net";

const FAMILIES = { 4: "ipv4", 6: "ipv6" } as const;
const ADDRESS_BITS = { 4: 32, 6: 128 } as const;

/** Whether an address belongs to one of some networks; false for what is no address. */
export type Networks = (address: string) => boolean;

/** Whether a text is an address, such as `127.0.0.1`, or a network, such as `10.0.0.0/8`. */
export function isNetwork(text: string): boolean {
  const [address, bits, ...rest] = text.split("/");
  const version = isIP(address!);
  // Of an address with a zone, such as fe80::1%eth0, no network can be made.
  if (version !== 4 && version !== 6 || address!.includes("%")) return false;
  return bits === undefined ||
    rest.length === 0 && /^\d{1,3}$/.test(bits) && Number(bits) <= ADDRESS_BITS[version];
}

/** Puts addresses and networks together; each must be one by `isNetwork`. */
export function networksOf(texts: readonly string[]): Networks {
  const known = new BlockList();
  for (const text of texts) {
    const [address, bits] = text.split("/");
    const version = versionOf(address!);
    known.addSubnet(address!, Number(bits ?? ADDRESS_BITS[version]), FAMILIES[version]);
  }
  return (address) => isIP(address) !== 0 && known.check(address, FAMILIES[versionOf(address)]);
}

function versionOf(address: string): 4 | 6 {
  return isIP(address) === 4 ? 4 : 6;
}
