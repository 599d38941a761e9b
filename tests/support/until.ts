/** Waiting in a test for something that will happen, without guessing how long it takes. */

/** Waits until the condition holds; fails with a message that names `what` when it does not in time. */
export async function until(
  what: string | (() => string),
  condition: () => unknown,
  { within = 10 }: { within?: number } = {},
): Promise<void> {
  const deadline = performance.now() + within * 1000;
  for (let pause = 5; !await condition(); pause = Math.min(pause * 2, 25)) {
    if (performance.now() > deadline) {
      throw new Error(`Not within ${within} s: ${typeof what === "string" ? what : what()}`);
    }
    await new Promise((wake) => setTimeout(wake, pause));
  }
}
