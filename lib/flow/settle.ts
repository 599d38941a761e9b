/**
 * Writes down how runs ended, many in one statement, and does not let go until the database has taken it.
 * @module
 */
import type { App } from "../app.ts";
import { createBatch } from "../base/batch.ts";
import { sleep } from "../base/repeat.ts";
import { storableText } from "../base/text.ts";
import type { Job } from "../contract.ts";
import { errorCode, isDataError, onceMore } from "../db/db.ts";
import { type Claim, settleJobs, type Transition } from "../db/claims.ts";
import { decide, type Ending } from "./decide.ts";

const ERROR_LENGTH = 4000;
const RESULT_LENGTH = 1000;
const PATIENCE_MS = [100, 200, 500, 1000, 2000];

const QUERY_CANCELED = "57014";

type Settlement = Claim & Transition;

/** The way of endings into the database. */
export interface Settler {
  /** Resolves once it is durable: what became of the job, or undefined when the lease had been lost. */
  settle(job: Job, ending: Ending): Promise<Transition | undefined>;
}

/** Opens the way. When `abandon` is aborted, what the database has not taken is left to the lease. */
export function createSettler(app: App, abandon: AbortSignal): Settler {
  const batch = createBatch<Settlement, boolean>({
    flush: (settlements) => write(app, settlements, abandon),
    maxItems: 500,
    inFlight: 2,
    maxWaiting: Infinity,
  });
  return {
    async settle(job, ending) {
      const stepsAside = app.registry.handlers.get(job.kind)?.stepsAside ?? false;
      const transition = clean(app, decide(job, ending));
      const { id, claims } = job;
      const held = await batch.add({ ...transition, id, claims, stepsAside });
      return held ? transition : undefined;
    },
  };
}

async function write(
  app: App,
  settlements: Settlement[],
  abandon: AbortSignal,
): Promise<boolean[]> {
  for (let attempt = 0; !abandon.aborted; attempt++) {
    try {
      const held = await onceMore(() => settleJobs(app.queueDb, settlements));
      const claims = new Map(held.map((claim) => [claim.id, claim.claims]));
      return settlements.map((settlement) => claims.get(settlement.id) === settlement.claims);
    } catch (error) {
      const refused = isDataError(error);
      // A statement that ran out of time may have waited for one locked row.
      const apart = refused || errorCode(error) === QUERY_CANCELED;
      if (apart && settlements.length > 1) return await writeApart(app, settlements, abandon);
      app.log.warn("cannot settle jobs yet", { jobs: settlements.length, error });
      if (refused) settlements = settlements.map(withoutTexts);
      await sleep(PATIENCE_MS[Math.min(attempt, PATIENCE_MS.length - 1)]!, abandon);
    }
  }
  return settlements.map(() => false);
}

/** One text that Postgres refuses must not hold up the others. */
async function writeApart(
  app: App,
  settlements: Settlement[],
  abandon: AbortSignal,
): Promise<boolean[]> {
  const held: boolean[] = [];
  for (const settlement of settlements) held.push(...await write(app, [settlement], abandon));
  return held;
}

/** Nor must it hold up its own job. */
function withoutTexts(settlement: Settlement): Settlement {
  const error = settlement.error && "The error's text could not be stored";
  return { ...settlement, error, result: null };
}

function clean(app: App, transition: Transition): Transition {
  const text = (value: string | null, length: number) =>
    value === null ? null : storableText(app.redact(value), length);
  const { error, result } = transition;
  if (error === null && result === null) return transition;
  return { ...transition, error: text(error, ERROR_LENGTH), result: text(result, RESULT_LENGTH) };
}
