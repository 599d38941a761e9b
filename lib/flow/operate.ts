/**
 * What an operator does by hand: a job gets another chance or is cancelled, a stored event is routed again.
 * @module
 */
import type { App } from "../app.ts";
import { createDelivery } from "../base/delivery.ts";
import { RefusedError } from "../base/errors.ts";
import { getEvent, type StoredEvent } from "../db/events.ts";
import { insertJobs, type JobRow, retryJob } from "../db/jobs.ts";
import { cancelJob } from "../db/jobs_bulk.ts";
import { getJob } from "../db/jobs_view.ts";
import { getBodyRemovedAt } from "../db/retention.ts";
import { routeJobs } from "./receive.ts";
import { describeRemoval } from "./retention.ts";

/**
 * Gives a job a fresh budget and returns it to the queue. A job that is done is done once more only with `again`.
 * Throws RefusedError when it is running, done, emptied or unknown.
 */
export async function retry(
  app: Pick<App, "db">,
  id: string,
  options: { again: boolean } = { again: false },
): Promise<void> {
  const found = await getJob(app.db, id);
  if (found?.payloadRemovedAt) {
    const why = describeRemoval("payload", found.payloadRemovedAt);
    throw new RefusedError(`Cannot retry job ${id}: ${why}`);
  }
  if (await retryJob(app.db, id, options)) return;
  const job = await getJob(app.db, id);
  if (!job) throw new RefusedError(`Cannot retry job ${id}: there is no such job`);
  const why = job.status === "done"
    ? `it is done; to do its work once more: hookwork retry ${id} --again`
    : `it is running (${job.lockedBy}); wait until it ends or its lease does`;
  throw new RefusedError(`Cannot retry job ${id}: ${why}`);
}

/** Gives a pending job up at once. A second time does no harm. Throws RefusedError when it is running, ended or unknown. */
export async function cancel(app: Pick<App, "db">, id: string): Promise<void> {
  if (await cancelJob(app.db, id)) return;
  const job = await getJob(app.db, id);
  if (job?.reason === "cancelled") return;
  if (!job) throw new RefusedError(`Cannot cancel job ${id}: there is no such job`);
  const why = job.status === "running"
    ? `it is running (${job.lockedBy}), and what it has begun cannot be taken back; wait until it ends`
    : `it has ended already (${job.reason ?? job.status})`;
  throw new RefusedError(`Cannot cancel job ${id}: ${why}`);
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
  const jobs = await planReplay(app, id, options);
  const ids = await insertJobs(app.db, jobs);
  return jobs.map(({ kind, key }, index) => ({ id: ids[index]!, kind, key }));
}

/** The jobs that a replay of this event asks for. Throws as `replay` does. */
export async function planReplay(
  app: App,
  id: string,
  { again }: { again: boolean },
): Promise<JobRow[]> {
  const event = await getEvent(app.db, id);
  if (!event) throw new RefusedError(`Cannot replay event ${id}: there is no such event`);
  if (event.body === null) {
    const why = describeRemoval("body", await getBodyRemovedAt(app.db, id));
    throw new RefusedError(`Cannot replay event ${id}: ${why}`);
  }
  return routeAgain(app, event, event.body).map((job) => ({
    ...job,
    eventId: event.id,
    key: again ? null : job.key,
  }));
}

function routeAgain(app: App, event: StoredEvent, body: Uint8Array<ArrayBuffer>) {
  const source = app.registry.sources.get(event.source);
  if (!source) {
    throw new RefusedError(`Cannot replay event ${event.id}: no source is named "${event.source}"`);
  }
  const delivery = createDelivery({
    headers: new Headers(event.headers),
    body,
    url: new URL(`${event.path}${event.query}`, "http://replay.invalid"),
    remote: "replay",
  });
  try {
    return routeJobs(app.registry, source, delivery);
  } catch (cause) {
    throw new RefusedError(`Cannot replay event ${event.id}: it cannot be routed`, { cause });
  }
}
