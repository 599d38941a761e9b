/**
 * Spans of time as people read them.
 * @module
 */

const UNITS = [["d", 86_400], ["h", 3600], ["min", 60], ["s", 1]] as const;

/** A span of seconds by its two largest units: `2 h 5 min`. A negative one counts as 0. */
export function formatSeconds(seconds: number): string {
  let rest = Math.max(0, Math.floor(seconds));
  const parts = UNITS.map(([unit, size]) => {
    const count = Math.floor(rest / size);
    rest -= count * size;
    return { count, text: `${count} ${unit}` };
  });
  const first = parts.findIndex(({ count }) => count > 0);
  if (first === -1) return "0 s";
  return parts.slice(first, first + 2).filter(({ count }) => count > 0)
    .map(({ text }) => text).join(" ");
}
