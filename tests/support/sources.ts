/** A source for tests that trusts everyone: what it says of a delivery is up to the test. */

import { createDelivery } from "../../lib/base/delivery.ts";
import type { Delivery, Source } from "../../lib/contract.ts";

/** A source without proof, repeat keys or jobs, unless told otherwise. */
export function sourceOf(parts: Partial<Source> = {}): Source {
  return {
    secretHeaders: ["X-Signature"],
    verify: () => ({ ok: true, secret: 0 }),
    dedupKey: () => undefined,
    route: () => [],
    sample: () => ({ headers: {}, body: "{}" }),
    ...parts,
  };
}

/** A delivery to `/hooks/site`. */
export function deliveryTo(
  body: string | Uint8Array<ArrayBuffer> = "{}",
  headers: Record<string, string> = {},
): Delivery {
  return createDelivery({
    headers: new Headers(headers),
    body: typeof body === "string" ? new TextEncoder().encode(body) : body,
    url: new URL("http://localhost/hooks/site?utm=1"),
    remote: "127.0.0.1",
  });
}
