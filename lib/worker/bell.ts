/**
 * The one place where a worker's loop sleeps: until it is woken, or the poll is due.
 * @module
 */

/** Rings that come while nobody waits are remembered as one. */
export interface Bell {
  ring(): void;
  /** Resolves at the next ring, or after `ms`; says whether it rang. */
  wait(ms: number): Promise<boolean>;
}

/** Hangs up a bell. */
export function createBell(): Bell {
  let rung = false;
  let wake: (() => void) | undefined;
  return {
    ring() {
      rung = true;
      wake?.();
    },
    async wait(ms) {
      if (!rung) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, ms);
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
      wake = undefined;
      const rang = rung;
      rung = false;
      return rang;
    },
  };
}
