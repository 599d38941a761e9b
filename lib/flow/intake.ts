/**
 * Stores deliveries as they come, many in one statement, each within its sender's patience.
 * @module
 */
import type { App } from "../app.ts";
import { createBatch, OverloadedError } from "../base/batch.ts";
import { describeError } from "../base/errors.ts";
import { isDataError, onceMore, type Queries } from "../db/db.ts";
import { type DeliveryRow, insertDeliveries, type Stored } from "../db/events.ts";
import type { Outage } from "./outage.ts";

/** amoCRM waits two seconds, the network included. */
const DEADLINE_MS = 1500;
const RETRY_AFTER_SECONDS = 5;
const MIB = 1024 * 1024;

/** The delivery was not stored, as far as we know: the sender shall send it again. */
export class UnavailableError extends Error {
  override name = "UnavailableError";
  readonly retryAfterSeconds = RETRY_AFTER_SECONDS;
}

/** What was stored, and why without its jobs, if Postgres refused them. */
export interface Kept extends Stored {
  readonly error?: string;
}

/** The way of deliveries into the database. */
export interface Intake {
  /** Resolves once the delivery is durable; rejects with UnavailableError after 1.5 s at the latest. */
  store(delivery: DeliveryRow): Promise<Kept>;
  /** Resolves when nothing waits. */
  idle(): Promise<void>;
}

/** Opens the way; `outage` is told of each success and failure. */
export function createIntake(app: Pick<App, "db">, outage: Outage): Intake {
  const batch = createBatch<DeliveryRow, Kept | Error>({
    flush: (deliveries) => storeAll(app.db, deliveries),
    maxItems: 256,
    maxBytes: MIB,
    bytesOf: (delivery) => delivery.body.length,
    // While one statement waits for its commit the next one collects; the pool keeps a connection for readiness.
    inFlight: 2,
    maxWaiting: 2000,
    maxWaitingBytes: 64 * MIB,
    deadlineMs: DEADLINE_MS,
  });
  const store = async (delivery: DeliveryRow) => {
    try {
      const stored = await batch.add(delivery);
      if (stored instanceof Error) throw stored;
      outage.over();
      return stored;
    } catch (cause) {
      // Too much at once is no fault of the database.
      if (!(cause instanceof OverloadedError)) outage.failed(cause);
      throw new UnavailableError("Cannot store the delivery now", { cause });
    }
  };
  return { store, idle: () => batch.idle() };
}

/** Stores a batch; one delivery at fault is told apart from the others. */
async function storeAll(
  db: Queries,
  deliveries: readonly DeliveryRow[],
): Promise<(Kept | Error)[]> {
  try {
    return await onceMore(() => insertDeliveries(db, deliveries));
  } catch (error) {
    // After a lost connection the outcome is unknown, and trying one by one could only take longer.
    if (!isDataError(error)) throw error;
    if (deliveries.length === 1) return [await storeUnroutable(db, deliveries[0]!, error)];
    const results: (Kept | Error)[] = [];
    for (const delivery of deliveries) results.push(...await storeAll(db, [delivery]));
    return results;
  }
}

/** Postgres refuses these jobs, so the event is kept without them; an event refused by itself is nobody else's loss. */
async function storeUnroutable(
  db: Queries,
  delivery: DeliveryRow,
  refusal: unknown,
): Promise<Kept | Error> {
  const error = delivery.error ?? `Its jobs were refused: ${describeError(refusal)}`;
  try {
    const [stored] = await insertDeliveries(db, [{ ...delivery, jobs: [], error }]);
    return { ...stored!, error };
  } catch (cause) {
    if (isDataError(cause)) return cause as Error;
    throw cause;
  }
}
