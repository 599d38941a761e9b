/**
 * Group commit: what arrives while a flush is under way goes together into the next one.
 * @module
 */

/** What flushes a batch, and its limits. */
export interface BatchOptions<T, R> {
  /** Stores the items at once; yields one result for each, in their order. */
  flush(items: T[]): Promise<R[]>;
  /** How many items one flush takes. */
  readonly maxItems: number;
  /** How many bytes one flush takes, by `bytesOf`; a larger item goes alone. */
  readonly maxBytes?: number;
  /** The size of an item in bytes; 0 when absent. */
  bytesOf?(item: T): number;
  /** How many flushes may be under way at once. */
  readonly inFlight: number;
  /** How many items may wait for their flush. */
  readonly maxWaiting: number;
  /** How many bytes may wait for their flush. */
  readonly maxWaitingBytes?: number;
  /** How long an item waits for its result. Without end when absent. */
  readonly deadlineMs?: number;
}

/** A queue that empties itself in batches. */
export interface Batch<T, R> {
  /**
   * Resolves with the item's result. Rejects with an OverloadedError when too much waits, with a
   * DeadlineError when the result is late, and with the error of its flush.
   *
   * An item that is late before its flush has left the queue; after that it may have taken effect.
   */
  add(item: T): Promise<R>;
  /** Resolves when nothing waits and no flush is under way. */
  idle(): Promise<void>;
  /** How many items wait for their flush. */
  readonly waiting: number;
}

/** Too much waits already; nothing was done with the item. */
export class OverloadedError extends Error {
  override name = "OverloadedError";
}

/** No result within the deadline; `flushing` tells whether the item may have taken effect. */
export class DeadlineError extends Error {
  override name = "DeadlineError";
  constructor(deadlineMs: number, readonly flushing: boolean) {
    const where = flushing ? "its flush is still under way" : "its flush has not begun";
    super(`Cannot take item within ${deadlineMs} ms: ${where}; try again later`);
  }
}

interface Entry<T, R> {
  readonly item: T;
  readonly bytes: number;
  readonly result: PromiseWithResolvers<R>;
  timer?: ReturnType<typeof setTimeout>;
}

/** Makes a batch. It has no timer of its own: the first item goes at once. */
export function createBatch<T, R>(options: BatchOptions<T, R>): Batch<T, R> {
  const { maxItems, maxBytes = Infinity, maxWaitingBytes = Infinity, deadlineMs } = options;
  // A set keeps the order and lets a late item leave from the middle.
  const queue = new Set<Entry<T, R>>();
  const flights = new Set<Promise<void>>();
  let waitingBytes = 0;
  let startsSoon = false;

  function add(item: T): Promise<R> {
    const bytes = options.bytesOf?.(item) ?? 0;
    const isTooMuch = queue.size > 0 && waitingBytes + bytes > maxWaitingBytes;
    if (isTooMuch || queue.size >= options.maxWaiting) {
      return Promise.reject(
        new OverloadedError(`Cannot take item: ${queue.size} wait already; try again later`),
      );
    }
    const entry: Entry<T, R> = { item, bytes, result: Promise.withResolvers<R>() };
    if (deadlineMs !== undefined) entry.timer = setTimeout(expire, deadlineMs, entry, deadlineMs);
    queue.add(entry);
    waitingBytes += bytes;
    startSoon();
    return entry.result.promise;
  }

  function expire(entry: Entry<T, R>, afterMs: number): void {
    const leftQueue = leave(entry);
    entry.result.reject(new DeadlineError(afterMs, !leftQueue));
  }

  function leave(entry: Entry<T, R>): boolean {
    const wasWaiting = queue.delete(entry);
    if (wasWaiting) waitingBytes -= entry.bytes;
    return wasWaiting;
  }

  /** After the running code, so that all it adds shares one flush. */
  function startSoon(): void {
    if (startsSoon) return;
    startsSoon = true;
    queueMicrotask(() => {
      startsSoon = false;
      while (queue.size > 0 && flights.size < options.inFlight) start(takeBatch());
    });
  }

  function takeBatch(): Entry<T, R>[] {
    const entries: Entry<T, R>[] = [];
    let bytes = 0;
    for (const entry of queue) {
      bytes += entry.bytes;
      if (entries.length === maxItems || (entries.length > 0 && bytes > maxBytes)) break;
      leave(entry);
      entries.push(entry);
    }
    return entries;
  }

  function start(entries: Entry<T, R>[]): void {
    const flight = fly(entries).finally(() => {
      flights.delete(flight);
      startSoon();
    });
    flights.add(flight);
  }

  async function fly(entries: Entry<T, R>[]): Promise<void> {
    try {
      const results = await options.flush(entries.map((entry) => entry.item));
      if (results.length !== entries.length) {
        throw new Error(
          `Cannot match results: flush gave ${results.length} for ${entries.length} items; give one each`,
        );
      }
      entries.forEach((entry, index) => entry.result.resolve(results[index]!));
    } catch (error) {
      for (const entry of entries) entry.result.reject(error);
    } finally {
      for (const entry of entries) clearTimeout(entry.timer);
    }
  }

  async function idle(): Promise<void> {
    while (queue.size > 0 || flights.size > 0) await Promise.all(flights);
  }

  return {
    add,
    idle,
    get waiting() {
      return queue.size;
    },
  };
}
