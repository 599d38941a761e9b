/**
 * Which backups are kept. Decisions only.
 * @module
 */
import { timeOfName } from "./manifest.ts";

/** A clock that was wrong once must not leave a single one. */
const KEPT_ALWAYS = 3;
const DAY_MS = 86_400_000;
/** No backup takes so long: what is still half by then was cut off. */
const LEFTOVER_MS = 12 * 3_600_000;

/**
 * The backups to be removed, of all that are whole: those more than `days` older than the one just made, but never the last
 * three. Measured from that one and not from a clock, so where no backup succeeds none goes. Those that claim to be of a later
 * time are left alone: a clock was wrong, and they must take the place of no right one. 0 days keep all.
 */
export function expired(names: readonly string[], days: number, made: string): string[] {
  if (days === 0) return [];
  const sorted = names.filter((name) => name <= made).toSorted();
  return sorted.slice(0, -KEPT_ALWAYS).filter((name) => msOf(made) - msOf(name) > days * DAY_MS);
}

/** What was cut off, of all that are half: those begun long before now. */
export function leftovers(names: readonly string[], now: Date): string[] {
  return names.filter((name) => now.getTime() - msOf(name) > LEFTOVER_MS);
}

function msOf(name: string): number {
  return timeOfName(name)?.getTime() ?? NaN;
}
