/**
 * What an operator does by hand: a job gets another chance, a stored event is routed again.
 * @module
 */
import type { App } from "../app.ts";
import { createDelivery } from "../base/delivery.ts";
import { RefusedError } from "../base/errors.ts";
import { getEvent, type StoredEvent } from "../db/events.ts";
import { insertJobs, retryJob } from "../db/jobs.ts";
import { getJob } from "../db/jobs_view.ts";
import { routeJobs } from "./receive.ts";

/** Gives a job a fresh budget and returns it to the queue. Throws RefusedError when it is running or unknown. */
export async function retry(app: Pick<App, "db">, id: string): Promise<void> {
  if (await retryJob(app.db, id)) return;
  const job = await getJob(app.db, id);
  if (!job) throw new RefusedError(`Cannot retry job ${id}: there is no such job`);
  throw new RefusedError(
    `Cannot retry job ${id}: it is running (${job.lockedBy}); wait until it ends or its lease does`,
  );
}

/** A job that a replay made, or did not make because its key is taken. */
export interface ReplayedJob {
  readonly id: string | null;
  readonly kind: string;
  readonly key: string | null;
}

/**
 * Routes the stored bytes of an event again. Jobs with a key are not doubled; with `again` they are made without their key.
 * Throws RefusedError when the event is unknown or cannot be routed.
 */
export async function replay(
  app: App,
  id: string,
  options: { again: boolean },
): Promise<ReplayedJob[]> {
  const event = await getEvent(app.db, id);
  if (!event) throw new RefusedError(`Cannot replay event ${id}: there is no such event`);
  const jobs = routeAgain(app, event).map((job) => ({
    ...job,
    eventId: event.id,
    key: options.again ? null : job.key,
  }));
  const ids = await insertJobs(app.db, jobs);
  return jobs.map(({ kind, key }, index) => ({ id: ids[index]!, kind, key }));
}

function routeAgain(app: App, event: StoredEvent) {
  const source = app.registry.sources.get(event.source);
  if (!source) {
    throw new RefusedError(`Cannot replay event ${event.id}: no source is named "${event.source}"`);
  }
  if (event.body === null) {
    throw new RefusedError(`Cannot replay event ${event.id}: its body was removed by retention`);
  }
  const delivery = createDelivery({
    headers: new Headers(event.headers),
    body: event.body,
    url: new URL(`${event.path}${event.query}`, "http://replay.invalid"),
    remote: "replay",
  });
  try {
    return routeJobs(app.registry, source, delivery);
  } catch (cause) {
    throw new RefusedError(`Cannot replay event ${event.id}: it cannot be routed`, { cause });
  }
}
