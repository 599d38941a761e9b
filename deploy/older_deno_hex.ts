/**
 * Sets right what an older Deno gets wrong: behind its flag, the `toHex` of V8 13.7 gives other signs than hex digits for all
 * that is longer than 15 bytes (seen with Deno 2.4.2). The body of an event is stored by it.
 * @module
 */
import { Buffer } from "node:buffer";

Uint8Array.prototype.toHex = function (this: Uint8Array): string {
  return Buffer.from(this.buffer, this.byteOffset, this.byteLength).toString("hex");
};
