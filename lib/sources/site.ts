/**
 * The company's own site: forms as JSON, signed with HMAC-SHA256 over their raw bytes.
 * @module
 */
import { createHmac, randomUUID } from "node:crypto";
import type { Delivery, JsonObject } from "../contract.ts";
import { defineSource } from "../define.ts";
import { hmacProof } from "../base/proof.ts";
import { secrets } from "../base/settings.ts";

const SIGNATURE_HEADER = "x-signature";

/** Each form becomes a `site.form`. A repeat carries the same `id`; forms without one are all new. */
export const site = defineSource({
  name: "site",
  settings: {
    SITE_WEBHOOK_SECRET: secrets("What the site signs its forms with; new,old while it changes."),
  },
  create({ SITE_WEBHOOK_SECRET: keys }) {
    return {
      secretHeaders: [SIGNATURE_HEADER],
      verify: ({ body, headers }) => {
        const signature = headers.get(SIGNATURE_HEADER)?.replace(/^sha256=/, "") ?? null;
        return hmacProof({ body, signature, secrets: keys });
      },
      dedupKey: (delivery) => idOf(formOf(delivery)),
      route: (delivery) => [{ kind: "site.form", payload: { form: formOf(delivery) } }],
      sample() {
        const body = JSON.stringify({ id: randomUUID(), name: "Sample" });
        const signature = createHmac("sha256", keys[0]!).update(body).digest("hex");
        return {
          headers: { "content-type": "application/json", [SIGNATURE_HEADER]: signature },
          body,
        };
      },
    };
  },
});

/** The content type is not asked: whatever it says, the signed bytes are JSON or an error. */
function formOf(delivery: Delivery): JsonObject {
  const form = delivery.json();
  if (typeof form === "object" && form !== null && !Array.isArray(form)) return form as JsonObject;
  throw new TypeError("Cannot read the form: it is not a JSON object; send its fields as one");
}

function idOf({ id }: JsonObject): string | undefined {
  if (id === undefined || id === null || id === "") return undefined;
  if (typeof id === "string" || Number.isSafeInteger(id)) return `${id}`;
  throw new TypeError(
    "Cannot read the form: its id is neither text nor an integer; send such an id",
  );
}
