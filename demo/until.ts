/**
 * Waiting for something that others will do, without guessing how long it takes.
 * @module
 */

const PAUSE_MS = 50;

/** Looks again and again until `isIt` likes what is seen, and gives it. Throws with what was seen last after `seconds`. */
export async function until<T>(
  what: string,
  look: () => T | Promise<T>,
  isIt: (seen: T) => unknown,
  seconds = 20,
): Promise<T> {
  const deadline = performance.now() + seconds * 1000;
  for (;;) {
    const seen = await look();
    if (isIt(seen)) return seen;
    if (performance.now() > deadline) {
      throw new Error(`expected within ${seconds} s: ${what}; seen: ${Deno.inspect(seen)}`);
    }
    await new Promise((wake) => setTimeout(wake, PAUSE_MS));
  }
}
