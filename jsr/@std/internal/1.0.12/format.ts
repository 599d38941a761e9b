/** Stand-in for `@std/internal/format`: writes a value out in full, one part a line, for a diff. */

/** Writes a value with sorted keys and nothing cut off, so that equal values give equal text. */
export function format(value: unknown): string {
  return Deno.inspect(value, {
    compact: false,
    depth: Infinity,
    getters: true,
    iterableLimit: Infinity,
    sorted: true,
    strAbbreviateSize: Infinity,
    trailingComma: true,
  });
}
