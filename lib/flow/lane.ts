/**
 * The way of a run's calls to outside services: in their turn, not at all while a lane is paused, and what an answer says of
 * a whole lane is written down for every worker.
 * @module
 */
import type { App } from "../app.ts";
import { retryAfterSeconds } from "../base/backoff.ts";
import {
  describeError,
  LaneHeldError,
  PermanentError,
  ShadowError,
  TemporaryError,
} from "../base/errors.ts";
import { jittered, sleep } from "../base/repeat.ts";
import { storableText, storedKey } from "../base/text.ts";
import type { Lanes, Log, Registry } from "../contract.ts";
import { failHeldJobs, type KindInLane } from "../db/held_jobs.ts";
import { enterLane, type LaneTurn, openLane, outerLane, pauseLane } from "../db/lanes.ts";
import { listLanes } from "../db/lanes_view.ts";
import { MAX_HELD_DAYS } from "./decide.ts";

/** A slot of the worker is not to be spent on waiting: a longer queue is waited for in the database. */
const MAX_WAIT_SECONDS = 2;
/**
 * For a run that has called before, and would have to do so again: else, with many runs, all turns are used up by beginnings.
 * It leaves an effect half of its deadline for the call.
 */
const MAX_WAIT_UNDER_WAY_SECONDS = 5;
/** After its turn a call is not made any more: calls that waited while the process stood still would go out all at once. */
const LATE_MS = 150;
/** Turns that one call may miss: a process that is always late leaves its jobs to others. */
const MAX_MISSED = 3;
/** A job whose kind is not in the lane that holds it looks again by itself, so that it notices when a person has resumed it. */
const MAX_DELAY_SECONDS = 60;
const REASON_LENGTH = 500;
const GIVE_UP_LIMIT = 500;

/** The run whose calls these are. */
export interface LaneRun {
  readonly app: Pick<App, "db" | "redact">;
  /** The lane of the job's kind. */
  readonly lane: string | undefined;
  readonly signal: AbortSignal;
  readonly log: () => Log;
}

/** What a turn is wanted for. */
interface Entry {
  readonly name: string;
  readonly perSecond: number | null;
  readonly maxWaitSeconds: number;
}

/** The lanes as a run sees them. */
export function createLanes(run: LaneRun): Lanes {
  const underWay = new Set<string>();
  return {
    async through(lane, call, { perSecond = null } = {}) {
      const name = storedLane(lane);
      const maxWaitSeconds = underWay.has(name) ? MAX_WAIT_UNDER_WAY_SECONDS : MAX_WAIT_SECONDS;
      const turn = await takeTurn(run, { name, perSecond, maxWaitSeconds });
      underWay.add(name);
      try {
        const value = await call();
        await prove(run, turn);
        return value;
      } catch (error) {
        const concerned = laneOf(error);
        if (concerned !== undefined) throw await pause(run, concerned, error);
        // A refusal of what was asked is an answer too.
        const isAnswer = error instanceof PermanentError && !(error instanceof ShadowError);
        if (isAnswer) await prove(run, turn);
        throw error;
      }
    },
  };
}

async function takeTurn(run: LaneRun, entry: Entry): Promise<Pick<LaneTurn, "unproven">> {
  for (let missed = 0; missed < MAX_MISSED; missed++) {
    const { waitSeconds, ...turn } = await enter(run, entry);
    if (waitSeconds === 0) return turn;
    const dueMs = performance.now() + waitSeconds * 1000;
    await sleep(waitSeconds * 1000, run.signal);
    run.signal.throwIfAborted();
    // It may have been paused meanwhile.
    const now = await enter(run, { ...entry, perSecond: null });
    if (performance.now() - dueMs <= LATE_MS) return now;
  }
  const message =
    `The lane ${entry.name} was missed: this process came late to ${MAX_MISSED} turns`;
  throw new LaneHeldError(message, jittered(4 * MAX_WAIT_SECONDS), false);
}

/** Takes a turn, which may have to be waited for. Throws LaneHeldError when the lane is paused or its queue too long. */
async function enter(run: LaneRun, entry: Entry) {
  const turn = await enterLane(run.app.db, entry);
  const { closed, waitSeconds, unproven } = turn;
  if (closed) {
    const message = `The lane ${closed.name} is paused: ${closed.reason}`;
    throw new LaneHeldError(message, delaySeconds(run, closed.name, closed.seconds), false);
  }
  if (waitSeconds === null) {
    const message = `The lane ${entry.name} is full: too many calls wait for their turn in it`;
    throw new LaneHeldError(message, jittered(4 * MAX_WAIT_SECONDS), false);
  }
  run.signal.throwIfAborted();
  return { waitSeconds, unproven };
}

/** The name under which a lane is stored. One that cannot be stays within the lane around it, as its hash. */
function storedLane(lane: string): string {
  const stored = storedKey(lane);
  if (stored === lane) return lane;
  const hash = stored.replace(":", "-");
  const outer = outerLane(lane);
  return outer === lane || storedKey(outer) !== outer ? hash : `${outer}:${hash}`;
}

/** A claim leaves the jobs of a paused lane alone, so those of the kind need no delay of their own and lose no time when it opens. */
function delaySeconds({ lane }: LaneRun, closed: string, seconds: number): number {
  return closed === lane ? 1 : Math.min(seconds, MAX_DELAY_SECONDS);
}

function laneOf(error: unknown): string | undefined {
  return error instanceof PermanentError || error instanceof TemporaryError
    ? error.lane
    : undefined;
}

/** The pause counts more than its being written down: with the database away, no claim is made either. */
async function pause(run: LaneRun, lane: string, error: unknown): Promise<LaneHeldError> {
  const { app, log } = run;
  const why = describeError(error);
  const asked = error instanceof TemporaryError ? error.retryAfterSeconds : undefined;
  // One job probes: what waits need not be spread.
  const seconds = asked === undefined ? null : retryAfterSeconds(asked, () => 0);
  const name = storedLane(lane);
  log().warn("a lane is paused", { lane, why });
  try {
    const reason = storableText(app.redact(why), REASON_LENGTH);
    await pauseLane(app.db, { name, seconds, reason });
  } catch (error) {
    log().error("a lane's pause could not be noted", { lane, error });
  }
  return new LaneHeldError(why, delaySeconds(run, name, seconds ?? MAX_DELAY_SECONDS), true, {
    cause: error,
  });
}

/** What was done is done: that it shows a lane to work is noted by the next call, if not by this one. */
async function prove(
  { app, log }: LaneRun,
  { unproven }: Pick<LaneTurn, "unproven">,
): Promise<void> {
  for (const name of unproven) {
    try {
      await openLane(app.db, name);
    } catch (error) {
      log().warn("a lane works again, which could not be noted yet", { lane: name, error });
    }
  }
}

/** Gives up what lanes have held for too long, and says whether there was any. */
export async function giveUpHeldJobs(
  { db, registry, log }: Pick<App, "db" | "registry" | "log">,
): Promise<boolean> {
  const kinds = kindsInLanes(registry);
  const failed = await failHeldJobs(db, { kinds, days: MAX_HELD_DAYS, limit: GIVE_UP_LIMIT });
  for (const job of failed) log.error("a job was given up: its lane has held it for too long", job);
  return failed.length > 0;
}

/** The kinds of a registry with their lanes. */
export function kindsInLanes({ handlers }: Pick<Registry, "handlers">): KindInLane[] {
  return [...handlers.values()].map(({ kind, lane = null }) => ({ kind, lane }));
}

/** The kinds whose jobs a lane holds at present: they are due, and nobody is to blame that they are not done. */
export async function listHeldKinds(
  { db, registry }: Pick<App, "db" | "registry">,
): Promise<string[]> {
  const lanes = new Set((await listLanes(db, "failing")).map(({ name }) => name));
  return kindsInLanes(registry).filter(({ lane }) => lane !== null && lanes.has(lane))
    .map(({ kind }) => kind);
}
