/**
 * Creates something in the outside world once: it is noted as intended before the call, and with its reference after.
 * @module
 */
import type { App } from "../app.ts";
import { TemporaryError } from "../base/errors.ts";
import { sleep } from "../base/repeat.ts";
import { storableText, storedKey } from "../base/text.ts";
import type { Effect, Job, Log } from "../contract.ts";
import { wasRestoredWithin } from "../db/backups.ts";
import { isDataError, onceMore } from "../db/db.ts";
import {
  getEffect,
  intendEffect,
  planEffect,
  recordReference,
  withdrawEffect,
} from "../db/effects.ts";
import { afterFailedCall, type EffectRules, nextStep, outcomeUnknown } from "./effect_rules.ts";

const DEFAULT_DEADLINE_SECONDS = 10;
/** What a call that was cut off has set going in the outside world may go on for so long. */
const AFTERMATH_SECONDS = 1;
const REF_LENGTH = 1000;
/** So long after a restore a job may come back whose effect the database does not know of, by reconciliation or by hand. */
const RESTORE_DOUBT_DAYS = 30;
const PATIENCE_MS = [100, 200, 500, 1000, 2000];

/** The run that an effect belongs to. */
export interface EffectRun {
  readonly app: Pick<App, "db" | "redact">;
  readonly job: Job;
  readonly signal: AbortSignal;
  readonly log: Log;
  readonly shadow: boolean;
}

/** One effect of a run: what all its steps need. */
interface Doing extends EffectRun {
  readonly key: string;
  readonly effect: Effect;
  readonly rules: EffectRules;
  readonly detail: string | null;
  readonly deadlineMs: number;
}

/**
 * Sees to it that the effect is there; its reference, or undefined in shadow.
 *
 * Throws TemporaryError when a later attempt will look, repeat or begin anew; OutcomeUnknownError when only a person can tell
 * whether it happened; PermanentError of the call; and whatever the database throws before the call.
 */
export async function carryOut(
  run: EffectRun,
  key: string,
  effect: Effect,
): Promise<string | undefined> {
  const { app: { db }, signal, job } = run;
  signal.throwIfAborted();
  const restored = effect.find !== undefined && await wasRestoredWithin(db, RESTORE_DOUBT_DAYS);
  const doing = prepare(run, key, effect, restored);
  for (;;) {
    signal.throwIfAborted();
    const note = await getEffect(db, doing.key);
    const step = nextStep(note, doing.rules);
    const seen = note?.intendedAt ?? null;
    let ref: string | undefined;
    switch (step.is) {
      case "known":
        return step.ref;
      case "plan":
        await planEffect(db, job, doing);
        run.log.info("an effect was planned, not made", { effect: doing.key });
        return undefined;
      case "wait":
        await sleep(step.seconds * 1000, signal);
        break;
      case "look":
        ref = await look(doing) ?? await make(doing, 1, seen);
        break;
      case "make":
        ref = await make(doing, step.tries, seen);
        break;
      case "ask_a_person":
        throw outcomeUnknown(doing.key, job.id);
    }
    if (ref !== undefined) return ref;
  }
}

function prepare(run: EffectRun, key: string, effect: Effect, restored: boolean): Doing {
  const { onUnknown = "fail", deadlineSeconds = DEFAULT_DEADLINE_SECONDS, detail } = effect;
  // Texts only: a secret that looks like a number must not break the JSON of an amount.
  const redactTexts = (_: string, value: unknown) =>
    typeof value === "string" ? run.app.redact(value) : value;
  return {
    ...run,
    key: storedKey(key),
    effect,
    rules: { shadow: run.shadow, canLook: effect.find !== undefined, onUnknown, restored },
    detail: detail === undefined ? null : JSON.stringify(detail, redactTexts),
    deadlineMs: deadlineSeconds * 1000,
  };
}

/** Looks for what an earlier call has created, and notes what is found. */
async function look(doing: Doing): Promise<string | undefined> {
  const found = await underDeadline(
    doing.signal,
    doing.deadlineMs,
    (signal) => doing.effect.find!({ signal }),
  );
  return found === undefined ? undefined : await keep(doing, found);
}

/** Notes the intention, makes the call, notes its reference. Undefined when another had noted something since `seen`. */
async function make(doing: Doing, tries: number, seen: string | null): Promise<string | undefined> {
  const { app, job, key, detail, deadlineMs, effect, signal } = doing;
  const seconds = deadlineMs / 1000 + AFTERMATH_SECONDS;
  const endsAtMs = performance.now() + deadlineMs;
  const noted = await intendEffect(app.db, job, { key, detail, seconds, tries, seen });
  if (!noted.held) {
    throw new TemporaryError(`Cannot begin effect ${key}: the lease is lost, another may have it`);
  }
  const { intendedAt } = noted;
  if (intendedAt === null) return undefined;
  let ref: string;
  try {
    // Counted from before the note: a process that stood still since then must not begin what others take for ended.
    const leftMs = endsAtMs - performance.now();
    if (signal.aborted || leftMs <= 0) {
      throw new TemporaryError(`Cannot begin effect ${key}: the run was held up; it did not begin`);
    }
    const call = (signal: AbortSignal) => effect.run({ signal, repeat: tries > 1 });
    ref = await underDeadline(signal, leftMs, call);
  } catch (error) {
    const failure = afterFailedCall(error, { key, jobId: job.id, tries }, doing.rules);
    if (failure.withdraw) {
      await untilWritten(doing, {}, () => withdrawEffect(app.db, key, intendedAt));
    }
    throw failure.error;
  }
  return await keep(doing, ref);
}

/** Notes a reference; also for a run that was stopped meanwhile, since what it names is there. */
async function keep(doing: Doing, given: string): Promise<string> {
  const { app, job, key, detail } = doing;
  const ref = storableText(given, REF_LENGTH);
  return await untilWritten(
    doing,
    { ref },
    () => recordReference(app.db, job, { key, ref, detail }),
  );
}

/** Does not let go while the database is away: only the end of the process does. */
async function untilWritten<T>(
  { app, key, log }: Doing,
  noted: { ref?: string },
  write: () => Promise<T>,
): Promise<T> {
  for (let attempt = 0;; attempt++) {
    try {
      return await onceMore(write);
    } catch (error) {
      if (app.db.closed || isDataError(error)) throw error;
      // With the reference: if this process ends before it is written, the log is the only place that has it.
      log.error("cannot note yet what came of an effect", { effect: key, ...noted, error });
      await sleep(PATIENCE_MS[Math.min(attempt, PATIENCE_MS.length - 1)]!);
    }
  }
}

async function underDeadline<T>(
  stop: AbortSignal,
  ms: number,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(), ms);
  try {
    return await work(AbortSignal.any([stop, deadline.signal]));
  } finally {
    clearTimeout(timer);
  }
}
