/**
 * A request as sources see it: bytes first, text and JSON on demand.
 * @module
 */
import type { Delivery } from "../contract.ts";
import { parseJson } from "./json.ts";

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** Makes a delivery of what came in, or of what was stored when it is replayed. */
export function createDelivery(
  parts: Pick<Delivery, "headers" | "body" | "url" | "remote">,
): Delivery {
  const text = () => {
    try {
      return utf8.decode(parts.body);
    } catch (cause) {
      throw new TypeError("Cannot read the body: it is not UTF-8", { cause });
    }
  };
  const json = () => {
    try {
      return parseJson(text());
    } catch (cause) {
      throw new TypeError("Cannot read the body as JSON", { cause });
    }
  };
  return { ...parts, text, json };
}
