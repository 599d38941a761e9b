/**
 * A place where something of the outside world is made to wait, so that others can be caught there.
 * @module
 */

/** Where who comes has to wait. */
export interface Hold {
  /** Whether somebody has come. */
  readonly isReached: boolean;
  /** Comes, and waits until all are let on. */
  pass(): Promise<void>;
  /** Lets on who waits, and who is still to come. */
  release(): void;
}

/** Nobody has come yet. */
export function createHold(): Hold {
  const { promise, resolve } = Promise.withResolvers<void>();
  let isReached = false;
  return {
    get isReached() {
      return isReached;
    },
    pass() {
      isReached = true;
      return promise;
    },
    release: resolve,
  };
}
