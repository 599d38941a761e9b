/**
 * A request as sources see it: bytes first, text and JSON on demand.
 * @module
 */
import { createHash } from "node:crypto";
import type { Delivery } from "../contract.ts";
import { parseJson } from "./json.ts";

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** Makes a delivery of what came in, or of what was stored when it is replayed. */
export function createDelivery(parts: Omit<Delivery, "text" | "json">): Delivery {
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

/** A mark of exactly these bytes, for senders that give their events no id. */
export function bodyKey(body: Uint8Array): string {
  return `sha256:${createHash("sha256").update(body).digest("hex")}`;
}
