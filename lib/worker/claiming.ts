/**
 * The loop that fills a worker's free slots with due jobs.
 * @module
 */
import type { App } from "../app.ts";
import { jittered } from "../base/repeat.ts";
import { claimJobs, type ClaimRequest } from "../db/claim.ts";
import { listProbes, type Probe } from "../db/lanes.ts";
import type { Outage } from "../flow/outage.ts";
import type { Bell } from "./bell.ts";
import type { Claims } from "./claims.ts";
import type { Runner } from "./runner.ts";

const POLL_MS = 1000;
/** How many endings may wait for the database, for each slot: a worker that is killed leaves no more of them behind. */
const ENDINGS_PER_SLOT = 2;
/** A claim costs about the same however much it takes, so a busy worker asks for a fair share of its slots at once ... */
const SHARE = 1 / 4;
/** ... but a free slot waits no longer than this for others. */
const GATHER_MS = 3;

/** What one claim asks for. */
interface Wanted extends Partial<Pick<ClaimRequest, "quarantined">> {
  readonly limit: number;
  readonly probe?: Partial<Probe>;
}

/** What the loop works with. */
export interface ClaimingParts {
  readonly worker: string;
  /** What it takes, and how long a claim of each kind holds. */
  readonly kinds: ClaimRequest["kinds"];
  readonly bell: Bell;
  readonly claims: Claims;
  readonly runner: Runner;
  readonly outage: Outage;
}

/** Claims until stopped; goes on through every failure of the database. */
export function startClaiming(app: App, parts: ClaimingParts): { stop(): Promise<void> } {
  const { bell, claims, outage } = parts;
  const slots = app.config.WORKER_CONCURRENCY;
  const claim = claimer(app, parts);
  let stopping = false;
  const loop = async () => {
    while (!stopping) {
      let more = false;
      try {
        more = await claim();
        outage.over();
      } catch (error) {
        outage.failed(error);
      }
      if (stopping) return;
      // A full claim means that more may wait, so free slots ask again; else only news and the poll do.
      if (more) await worthwhile(claims, slots);
      else await bell.wait(jittered(POLL_MS));
    }
  };
  const ended = loop();
  return {
    stop() {
      stopping = true;
      bell.ring();
      return ended;
    },
  };
}

/**
 * How many jobs a worker may claim now. A slot is free as soon as its run is over. Endings that the database has not taken have a
 * bound of their own, so that a worker whose endings are not taken does not claim for ever.
 */
function room({ running, size }: Pick<Claims, "running" | "size">, slots: number): number {
  return Math.min(slots - running, (1 + ENDINGS_PER_SLOT) * slots - size);
}

/** Resolves when a claim is worth what it costs. */
async function worthwhile(claims: Claims, slots: number): Promise<void> {
  await claims.until(() => room(claims, slots) > 0);
  await claims.until(() => room(claims, slots) >= slots * SHARE, GATHER_MS);
}

/** Makes the function that fills the free slots once, and says whether more jobs may be waiting. */
function claimer(
  app: App,
  { worker, kinds, claims, runner }: ClaimingParts,
): () => Promise<boolean> {
  const slots = app.config.WORKER_CONCURRENCY;
  const leases = new Map(kinds.map(({ kind, leaseSeconds }) => [kind, leaseSeconds]));
  const lanes = new Set(kinds.map(({ lane }) => lane));
  let quarantineAtMs = -Infinity;
  let probesAtMs = -Infinity;

  const take = async ({ limit, quarantined = false, probe }: Wanted) => {
    const askedAtMs = performance.now();
    const except = [...runner.unsettled(), ...probe?.last ? [probe.last] : []];
    const jobs = await claimJobs(app.queueDb, {
      worker,
      limit,
      kinds,
      except,
      quarantined,
      probe: probe?.lane,
    });
    for (const job of jobs) runner.start(claims.add(job, leases.get(job.kind)!, askedAtMs));
    return jobs.length;
  };
  /** Takes one job that wants the worker to itself; the next one not before the others have had as long. */
  const takeAlone = async (probe?: Partial<Probe>) => {
    const beganMs = performance.now();
    quarantineAtMs = beganMs + POLL_MS;
    if (await take({ limit: 1, quarantined: true, probe }) === 0) return false;
    runner.aloneEnded().then(() => quarantineAtMs = 2 * performance.now() - beganMs);
    return true;
  };
  /** Takes one job of each lane whose pause is over, and another than the last time, if there is one. */
  const takeProbes = async () => {
    probesAtMs = performance.now() + POLL_MS;
    for (const { lane, last } of await listProbes(app.db)) {
      if (!lanes.has(lane) || room(claims, slots) <= 0 || runner.alone) continue;
      const taken = await take({ limit: 1, probe: { lane, last } }) ||
        await take({ limit: 1, probe: { lane } });
      if (taken === 0) await takeAlone({ lane });
    }
  };
  return async () => {
    if (performance.now() >= probesAtMs) await takeProbes();
    const free = room(claims, slots);
    if (free <= 0 || runner.alone) return false;
    if (performance.now() >= quarantineAtMs && await takeAlone()) return false;
    const count = await take({ limit: free });
    // Nothing else is there to be harmed, or to be kept waiting.
    if (count === 0 && claims.size === 0 && await takeAlone()) return false;
    return count === free;
  };
}
