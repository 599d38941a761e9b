/**
 * Who sent a request, when a proxy stands in front.
 * @module
 */
import { isIP } from "node:net";
import type { Networks } from "../base/networks.ts";

/**
 * The address of the sender. Only proxies that are trusted are believed what they say in `X-Forwarded-For`, and only
 * for the hop before them: each appends the address that it saw, and what stands further left anybody can have sent.
 */
export function clientAddress(
  peer: string,
  forwardedFor: string | null,
  isTrusted: Networks,
): string {
  let client = peer;
  for (const hop of forwardedFor?.split(",").reverse() ?? []) {
    const address = hop.trim();
    if (!isTrusted(client) || isIP(address) === 0) return client;
    client = address;
  }
  return client;
}
