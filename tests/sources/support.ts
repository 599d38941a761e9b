/** Deliveries for tests of sources. */
import { createDelivery } from "../../lib/base/delivery.ts";
import type { Delivery } from "../../lib/contract.ts";

/** A delivery of this body, byte for byte. */
export function deliveryOf(
  body: string | Uint8Array<ArrayBuffer>,
  headers: Record<string, string> = {},
  pathSecret?: string,
): Delivery {
  return createDelivery({
    headers: new Headers(headers),
    body: typeof body === "string" ? new TextEncoder().encode(body) : body,
    url: new URL("http://127.0.0.1/hooks/any"),
    pathSecret,
    remote: "127.0.0.1",
  });
}
