/** Stand-in for `@std/crypto/timing-safe-equal`: compares secrets without telling where they differ. */

type Bytes = ArrayBufferView | ArrayBufferLike;

/** Tells whether two byte sequences are the same, in a time that depends on their length only. */
export function timingSafeEqual(a: Bytes, b: Bytes): boolean {
  const [left, right] = [bytesOf(a), bytesOf(b)];
  if (left.length !== right.length) return false;
  let difference = 0;
  // Never leaves early: the time must not depend on where the first difference is.
  left.forEach((byte, index) => difference |= byte ^ right[index]!);
  return difference === 0;
}

function bytesOf(value: Bytes): Uint8Array {
  if (!ArrayBuffer.isView(value)) return new Uint8Array(value);
  return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
}
