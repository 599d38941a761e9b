/**
 * Turns a proven delivery into an event and its jobs.
 * @module
 */
import type { App } from "../app.ts";
import { bodyKey } from "../base/delivery.ts";
import { describeError } from "../base/errors.ts";
import { storableText, storedKey } from "../base/text.ts";
import type { Delivery, Outcome, Registry, Source } from "../contract.ts";
import { type DeliveryRow, getEventIds } from "../db/events.ts";
import { type JobRow, jobRow } from "../db/jobs.ts";
import type { Intake } from "./intake.ts";

const ERROR_LENGTH = 2000;
/** Never stored, whatever the source. */
const SECRET_HEADERS = ["authorization", "proxy-authorization", "cookie"];

/** Stores a delivery with its jobs, once. Throws UnavailableError when it could not be stored. */
export async function receive(
  app: App,
  intake: Intake,
  name: string,
  delivery: Delivery,
  secretIndex: number,
): Promise<Outcome> {
  const row = planDelivery(app, name, delivery, secretIndex);
  const stored = await intake.store(row);
  if (stored.id === null) return { duplicate: true, id: await findRepeated(app, row) };
  const error = stored.error ?? row.error ?? undefined;
  return { duplicate: false, id: stored.id, jobs: stored.jobs, error };
}

/** Decides what is stored: whatever the source's code does with it, the event is kept. */
export function planDelivery(
  app: Pick<App, "registry" | "redact">,
  name: string,
  delivery: Delivery,
  secretIndex: number,
): DeliveryRow {
  const source = app.registry.sources.get(name)!;
  const key = attempt(() => normalKey(source.dedupKey(delivery)));
  const jobs = attempt(() => routeJobs(app.registry, source, delivery));
  const error = key.error ?? jobs.error;
  return {
    source: name,
    // A delivery whose key cannot be told is recognised by its bytes when it is repeated.
    dedupKey: key.error === undefined ? key.value! : bodyKey(delivery.body),
    secretIndex,
    path: delivery.url.pathname,
    query: delivery.url.search,
    headers: storedHeaders(app.registry, delivery.headers),
    body: delivery.body,
    error: error === undefined ? null : storableText(app.redact(error), ERROR_LENGTH),
    jobs: error === undefined ? jobs.value! : [],
  };
}

/** The jobs that follow from a delivery. Throws when the source's code does, or names a kind that nobody handles. */
export function routeJobs(registry: Registry, source: Source, delivery: Delivery): JobRow[] {
  return source.route(delivery).map((job) => {
    if (!registry.handlers.has(job.kind)) {
      throw new TypeError(`Cannot make a job of kind "${job.kind}": no handler has it`);
    }
    return jobRow(job);
  });
}

function attempt<T>(work: () => T): { value?: T; error?: string } {
  try {
    return { value: work() };
  } catch (error) {
    return { error: describeError(error) };
  }
}

const normalKey = (key: string | undefined) => key === undefined ? null : storedKey(key);

/** A sender that mixes sources up must not have a secret stored either, so those of all sources are left out. */
function storedHeaders({ sources }: Registry, headers: Headers): Record<string, string> {
  const ofSources = [...sources.values()].flatMap(({ secretHeaders }) => secretHeaders);
  const secret = new Set([...SECRET_HEADERS, ...ofSources.map((name) => name.toLowerCase())]);
  return Object.fromEntries([...headers].filter(([name]) => !secret.has(name)));
}

/** A courtesy to the operator: the repeat is settled already, so a failure here is no failure of the delivery. */
async function findRepeated(app: App, row: DeliveryRow): Promise<string | undefined> {
  try {
    const [id] = await getEventIds(app.db, [row]);
    return id ?? undefined;
  } catch (error) {
    app.log.debug("cannot look up the repeated event", { why: describeError(error) });
    return undefined;
  }
}
