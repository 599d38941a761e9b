/**
 * How long a job waits before its next attempt.
 * @module
 */

const FIRST_SECONDS = 10;
const LONGEST_SECONDS = 3600;
/** The first power of two at which the pause has outgrown its cap. */
const MAX_DOUBLINGS = Math.ceil(Math.log2(LONGEST_SECONDS / FIRST_SECONDS));
const DAY_SECONDS = 86_400;

/**
 * Seconds to wait after the attempt with this number, counted from 1: 10, 20, 40 and so on to one
 * hour, spread by a fifth either way. `random` yields numbers from 0 to 1.
 *
 * Without the spread the default of eight attempts spans 1,270 s (21 minutes), and its longest
 * pause is 640 s. No number of attempts overflows.
 */
export function backoffSeconds(attempts: number, random: () => number = Math.random): number {
  // Capped before the power: 2 ** attempts leaves every number type sooner or later.
  const doublings = Math.min(Math.max(attempts - 1, 0), MAX_DOUBLINGS);
  const pause = Math.min(FIRST_SECONDS * 2 ** doublings, LONGEST_SECONDS);
  return pause * (0.8 + 0.4 * random());
}

/**
 * Seconds to wait when the other side asked for `asked` seconds: never sooner than asked, at least
 * one second and at most a day, with up to a fifth on top, so that not all come back at once.
 */
export function retryAfterSeconds(asked: number, random: () => number = Math.random): number {
  const pause = asked > 1 ? Math.min(asked, DAY_SECONDS) : 1;
  return pause * (1 + 0.2 * random());
}
