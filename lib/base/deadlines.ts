/**
 * Many deadlines with one timer: short runs come by the thousand, and nearly none reaches its deadline.
 * @module
 */

/** A moment by the monotonic clock, and what is done when it has come. */
export interface Deadline {
  readonly atMs: number;
  late(): void;
}

/** The deadlines that have not come. A timer runs only while there are any. */
export interface Deadlines {
  add(ms: number, late: () => void): Deadline;
  delete(deadline: Deadline): void;
}

/** Holds none yet. */
export function createDeadlines(): Deadlines {
  const all = new Set<Deadline>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let timerAtMs = Infinity;
  const rest = () => {
    clearTimeout(timer);
    timerAtMs = Infinity;
  };
  const wake = (atMs: number) => {
    clearTimeout(timer);
    timerAtMs = atMs;
    timer = setTimeout(look, Math.max(0, atMs - performance.now()));
  };
  const look = () => {
    rest();
    const nowMs = performance.now();
    let nextMs = Infinity;
    for (const deadline of all) {
      if (deadline.atMs > nowMs) nextMs = Math.min(nextMs, deadline.atMs);
      else if (all.delete(deadline)) deadline.late();
    }
    if (nextMs < timerAtMs) wake(nextMs);
  };
  return {
    add(ms, late) {
      const deadline = { atMs: performance.now() + ms, late };
      all.add(deadline);
      if (deadline.atMs < timerAtMs) wake(deadline.atMs);
      return deadline;
    },
    // The timer stays: the next deadline is most often a later one, and shares it.
    delete(deadline) {
      if (all.delete(deadline) && all.size === 0) rest();
    },
  };
}
