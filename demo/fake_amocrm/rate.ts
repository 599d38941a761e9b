/**
 * How many calls an account takes: so many in any second, and a block for whoever does not listen.
 * Source: https://www.amocrm.ru/developers/content/api/recommendations
 * @module
 */

/** The limits. */
export interface RateOptions {
  /** Calls in a second, in whatever second one looks. */
  readonly perSecond: number;
  /** How many calls too many, within ten seconds, make a block. */
  readonly strikes: number;
  readonly blockMs: number;
  /** Milliseconds of a clock that does not jump. */
  clock(): number;
}

/** What becomes of a call. */
export type Admission = "taken" | "too_many" | "blocked";

/** The watch over the calls of one account. */
export interface Rate {
  /** Counts a call. Refused ones count too. */
  admit(): Admission;
  /** The most calls that came within any second. */
  readonly highest: number;
  /** Blocks every call, for so long or until it is called with 0. */
  block(forMs: number): void;
}

const SECOND_MS = 1000;
const STRIKE_MS = 10_000;

/** A watch that has seen nothing yet. */
export function createRate({ perSecond, strikes, blockMs, clock }: RateOptions): Rate {
  let calls: number[] = [];
  let tooMany: number[] = [];
  let blockedUntil = -Infinity;
  let highest = 0;
  return {
    get highest() {
      return highest;
    },
    block: (forMs) => void (blockedUntil = clock() + forMs),
    admit() {
      const now = clock();
      calls = [...calls.filter((at) => at > now - SECOND_MS), now];
      highest = Math.max(highest, calls.length);
      if (now < blockedUntil) return "blocked";
      if (calls.length <= perSecond) return "taken";
      tooMany = [...tooMany.filter((at) => at > now - STRIKE_MS), now];
      if (tooMany.length >= strikes) {
        blockedUntil = now + blockMs;
        tooMany = [];
      }
      return "too_many";
    },
  };
}
