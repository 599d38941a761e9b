/**
 * What a drill is made of: steps that say what is expected and what was seen.
 * @module
 */
import { equal } from "@std/assert";
import type { System } from "../system.ts";

/** One thing that must hold. */
export interface Step {
  /** What is expected, as a sentence. */
  readonly expected: string;
  /** Gives what was seen; throws when it is something else. */
  run(system: System): Promise<string>;
}

/** Makes a step. */
export function step(expected: string, run: (system: System) => Promise<string>): Step {
  return { expected, run };
}

/** Throws with both values when they differ. */
export function expect<T>(what: string, seen: T, expected: T): void {
  if (equal(seen, expected)) return;
  throw new Error(`${what}: expected ${Deno.inspect(expected)}, seen ${Deno.inspect(seen)}`);
}

/** Throws when the number is smaller. */
export function expectAtLeast(what: string, seen: number, least: number): void {
  if (seen < least) throw new Error(`${what}: expected at least ${least}, seen ${seen}`);
}

/** Throws when the number is not smaller. */
export function expectBelow(what: string, seen: number, bound: number): void {
  if (seen >= bound) throw new Error(`${what}: expected less than ${bound}, seen ${seen}`);
}
