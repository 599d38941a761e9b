/**
 * The table `events`, and the one statement by which a delivery and its jobs become durable together.
 * @module
 */
import type { Event } from "../contract.ts";
import { countUnrouted } from "./alerts.ts";
import { arrayLiteral, type Queries } from "./db.ts";
import { queueEntities } from "./entities.ts";
import { insertJobRows, type JobRow, newJobRows, notifyWorkers } from "./jobs.ts";

/** A delivery ready to be stored. */
export interface DeliveryRow {
  readonly source: string;
  readonly dedupKey: string | null;
  readonly secretIndex: number;
  readonly path: string;
  readonly query: string;
  readonly headers: Record<string, string>;
  readonly body: Uint8Array;
  readonly error: string | null;
  readonly jobs: readonly JobRow[];
}

/** What became of a delivery: no id means that it is a repeat. */
export interface Stored {
  readonly id: string | null;
  readonly jobs: number;
}

/**
 * Stores deliveries with their jobs, all in one statement: what it returns is durable, whole, and in the order given.
 *
 * The ids are drawn beforehand, in `input`, since RETURNING tells not which row came from which input and keys may be NULL.
 * Events are inserted in the order of their keys, jobs too: unordered, overlapping batches of two receivers deadlock.
 * An event that could not be routed is counted in `alerts` by the same statement.
 */
export async function insertDeliveries(
  db: Queries,
  deliveries: readonly DeliveryRow[],
): Promise<Stored[]> {
  const { sql } = db;
  const column = (value: (delivery: DeliveryRow) => string | number | null) =>
    arrayLiteral(deliveries.map(value));
  const jobs = deliveries.flatMap((delivery, index) =>
    delivery.jobs.map((job) => ({ ...job, delivery: index + 1 }))
  );
  return await db.run(sql<Stored[]>`
    with input as materialized (
      select nextval('events_id_seq') as id, given.*
      from unnest(
        ${column((d) => d.source)}::text[], ${column((d) => d.dedupKey)}::text[],
        ${column((d) => d.secretIndex)}::smallint[], ${column((d) => d.path)}::text[],
        ${column((d) => d.query)}::text[], ${column((d) => JSON.stringify(d.headers))}::jsonb[],
        ${column((d) => `\\x${d.body.toHex()}`)}::bytea[], ${column((d) => d.error)}::text[]
      ) with ordinality as given (source, dedup_key, secret_index, path, query, headers, body, error, delivery)
    ), stored as (
      insert into events (id, source, dedup_key, secret_index, path, query, headers, body, error)
      select id, source, dedup_key, secret_index, path, query, headers, body, error
      from input order by source, dedup_key
      on conflict (source, dedup_key) do nothing
      returning id, source, error
    ), counted as (${countUnrouted(sql, sql`stored`)}
    ), new_jobs as materialized (
      select nextval('jobs_id_seq') as id, job.* from (
        select stored.id as event_id, job.*
        from ${
    newJobRows(sql, jobs)
  } join input using (delivery) join stored on stored.id = input.id
        order by job.position
      ) as job
    ), made as (${insertJobRows(sql)}), queued as (${queueEntities(sql)}), told as (${
    notifyWorkers(sql)
  })
    select stored.id, (select count(*)::int from made where made.event_id = stored.id) as jobs
    from input left join stored on stored.id = input.id left join told on true
    order by input.delivery
  `);
}

/** The ids of stored events by their repeat keys, for telling a sender which event its repeat repeats. */
export async function getEventIds(
  db: Queries,
  keys: readonly Pick<DeliveryRow, "source" | "dedupKey">[],
): Promise<(string | null)[]> {
  const rows = await db.run(db.sql<{ id: string | null }[]>`
    select events.id
    from unnest(
      ${arrayLiteral(keys.map((key) => key.source))}::text[],
      ${arrayLiteral(keys.map((key) => key.dedupKey))}::text[]
    ) with ordinality as wanted (source, dedup_key, position)
    left join events on events.source = wanted.source and events.dedup_key = wanted.dedup_key
    order by wanted.position
  `);
  return rows.map((row) => row.id);
}

/** One event with its bytes; `body` is null once retention has removed it. */
export async function getEvent(db: Queries, id: string): Promise<StoredEvent | undefined> {
  const [event] = await db.run(db.sql<StoredEvent[]>`
    select id, source, dedup_key as "dedupKey", secret_index as "secretIndex", path, query, headers, body,
      received_at as "receivedAt", error
    from events where id = ${id}::bigint
  `);
  // Buffer.slice would share the driver's memory: a copy of exactly these bytes is kept.
  return event && { ...event, body: event.body && new Uint8Array(event.body) };
}

/** An event as the operator sees it. */
export interface StoredEvent extends Omit<Event, "body"> {
  readonly dedupKey: string | null;
  readonly secretIndex: number;
  readonly body: Uint8Array<ArrayBuffer> | null;
  readonly error: string | null;
}

/** One line of a list of events. */
export interface EventLine {
  readonly id: string;
  readonly source: string;
  readonly dedupKey: string | null;
  readonly receivedAt: Date;
  readonly bytes: number | null;
  readonly jobs: number;
  readonly error: string | null;
}

/** The newest events first. */
export async function listEvents(
  db: Queries,
  filter: { source?: string; withError?: boolean; limit: number },
): Promise<EventLine[]> {
  return await db.run(db.sql<EventLine[]>`
    select id, source, dedup_key as "dedupKey", received_at as "receivedAt", octet_length(body) as bytes,
      (select count(*)::int from jobs where event_id = events.id) as jobs, error
    from events
    where (${filter.source ?? null}::text is null or source = ${filter.source ?? null})
      and (not ${filter.withError ?? false}::boolean or error is not null)
    order by id desc limit ${filter.limit}
  `);
}

/** Whether a source has ever delivered. */
export async function hasEvents(db: Queries, source: string): Promise<boolean> {
  const [row] = await db.run(db.sql<{ exists: boolean }[]>`
    select exists (select from events where source = ${source}) as exists
  `);
  return row!.exists;
}
