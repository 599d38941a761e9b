/**
 * What a handler may ask for, bound to one run: once it is stopped, every call throws.
 * @module
 */
import type { App } from "../app.ts";
import { settingsOf } from "../base/config.ts";
import { PermanentError } from "../base/errors.ts";
import type { Stop } from "../base/stop.ts";
import type {
  AnyHandler,
  ClientContext,
  ClientDefinitions,
  Effect,
  Event,
  Job,
  JobContext,
  NewJob,
} from "../contract.ts";
import { getEvent } from "../db/events.ts";
import { enqueue, getNewestJobTime } from "../db/jobs.ts";
import { getBodyRemovedAt } from "../db/retention.ts";
import { carryOut } from "./effect.ts";
import { createLanes } from "./lane.ts";
import { describeRemoval } from "./retention.ts";
import { createGaps } from "./watch.ts";

/** Makes the context of one run. */
export function createContext(
  app: App,
  handler: AnyHandler,
  job: Job,
  stop: Stop,
  // deno-lint-ignore no-explicit-any -- the registry holds handlers of different clients
): JobContext<any, any> {
  // Made when they are asked for: jobs that are short come by the thousand.
  const log = lazy(() => app.log.with({ job: job.id, kind: job.kind, attempt: job.attempts }));
  const settings = lazy(() => settingsOf(app.config, handler.settings));
  const inShadow = (kind: string) => app.config.SHADOW_KINDS.includes(kind);
  const shadow = inShadow(job.kind);
  return {
    job,
    get signal() {
      return stop.signal;
    },
    shadow,
    get log() {
      return log();
    },
    get settings() {
      return settings();
    },
    clients: createClients(app, handler, () => ({
      signal: stop.signal,
      shadow,
      lanes: createLanes({ app, lane: handler.lane, signal: stop.signal, log }),
      get log() {
        return log();
      },
      get sql() {
        return app.handlerDb.sql;
      },
    })),
    get sql() {
      return stoppable(app.handlerDb.sql, stop);
    },
    event() {
      stop.throwIfStopped();
      return loadEvent(app, job.eventId);
    },
    enqueue(next: NewJob) {
      stop.throwIfStopped();
      if (shadow && !inShadow(next.kind)) {
        log().info("a job was not made, since its kind is not in shadow", { next: next.kind });
        return Promise.resolve(undefined);
      }
      return enqueue(app.db, next, job.eventId);
    },
    newestJob(entity: string) {
      stop.throwIfStopped();
      return getNewestJobTime(app.db, entity);
    },
    get gaps() {
      stop.throwIfStopped();
      return createGaps(app.db);
    },
    effect(key: string, effect: Effect) {
      stop.throwIfStopped();
      return carryOut({ app, job, signal: stop.signal, log: log(), shadow }, key, effect);
    },
  };
}

const NO_CLIENTS = Object.freeze({});

/** The value of `make`, which is called once, at the first use. */
function lazy<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

function createClients(
  app: App,
  handler: AnyHandler,
  contextOf: () => ClientContext,
): Record<string, unknown> {
  const clients = Object.entries(handler.clients as ClientDefinitions);
  if (clients.length === 0) return NO_CLIENTS;
  const context = contextOf();
  return Object.fromEntries(
    clients.map(([name, client]) => [
      name,
      client.create(settingsOf(app.config, client.settings), context),
    ]),
  );
}

/** The driver with a check before each use, also inside of a transaction, which is then undone. */
function stoppable<T extends object>(sql: T, stop: Stop): T {
  return new Proxy(sql, {
    get(target, name, receiver) {
      stop.throwIfStopped();
      const value: unknown = Reflect.get(target, name, receiver);
      if (typeof value !== "function" || (name !== "begin" && name !== "savepoint")) return value;
      return (...args: unknown[]) =>
        value.apply(target, args.map((arg) => withStoppable(arg, stop)));
    },
    apply(target, self, args) {
      stop.throwIfStopped();
      return Reflect.apply(target as unknown as () => unknown, self, args);
    },
  });
}

/** The work of a transaction is a function of the transaction's driver. */
function withStoppable(arg: unknown, stop: Stop): unknown {
  return typeof arg === "function" ? (sql: object) => arg(stoppable(sql, stop)) : arg;
}

async function loadEvent(app: App, id: string | null): Promise<Event | undefined> {
  if (id === null) return undefined;
  const event = await getEvent(app.db, id);
  if (event && event.body === null) {
    const why = describeRemoval("body", await getBodyRemovedAt(app.db, id));
    throw new PermanentError(`Cannot read event ${id}: ${why}`);
  }
  return event as Event | undefined;
}
