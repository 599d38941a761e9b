/**
 * Runs one claim of a job: its payload is checked, its handler runs under a deadline.
 * @module
 */
import type { App } from "../app.ts";
import { createDeadlines } from "../base/deadlines.ts";
import { describeError, OutcomeUnknownError } from "../base/errors.ts";
import { parseJson } from "../base/json.ts";
import { sleep } from "../base/repeat.ts";
import type { Stop } from "../base/stop.ts";
import type { AnyHandler, Job } from "../contract.ts";
import { createContext } from "./context.ts";
import type { Ending } from "./decide.ts";

/** The deadline of a run when its kind names none. */
export const DEFAULT_TIMEOUT_SECONDS = 60;
/** How long a stopped handler may take to say that a call of its was cut off. */
const UNWIND_MS = 250;

/** Why a running job is stopped: the reason with which its signal is aborted. */
export class StoppedError extends Error {
  override name = "StoppedError";
  constructor(readonly why: "deadline" | "lease_lost" | "shutdown") {
    super(STOPPED[why]);
  }
}
const STOPPED = {
  deadline: "The job has reached its deadline",
  lease_lost: "The job's lease is lost: another worker may have it",
  shutdown: "The worker is shutting down",
};

/** Made once: an error of its own for each run would cost more than the run's own bookkeeping. */
const ENDED = new Error("The run has ended");

/** Those of all runs of this process. */
const deadlines = createDeadlines();

/** One run of a handler. */
export interface Run {
  /** How the attempt ended; undefined when the lease was lost, so that there is nothing to say. */
  readonly ending: Promise<Ending | undefined>;
  /** Settles when the handler's own promise does, which may be long after its deadline. */
  readonly settled: Promise<unknown>;
}

/** Starts a job; `stop` ends it before its time. */
export function execute(app: App, job: Job, stop: Stop): Run {
  const handler = app.registry.handlers.get(job.kind)!;
  const seconds = handler.timeoutSeconds ?? DEFAULT_TIMEOUT_SECONDS;
  const never = Promise.resolve<Ending>({ is: "interrupted" });
  if (stop.stopped) return over(stoppedEnding(never, stop.reason, seconds));
  const payload = readPayload(handler, job.payload);
  if ("why" in payload) return over(Promise.resolve({ is: "bad_payload", why: payload.why }));
  const work = invoke(app, handler, payload.value, job, stop);
  return { ending: underDeadline(work, seconds, stop), settled: work };
}

function over(ending: Promise<Ending | undefined>): Run {
  return { ending, settled: Promise.resolve() };
}

function readPayload(handler: AnyHandler, text: string): { value: unknown } | { why: string } {
  try {
    const parsed = handler.payload.safeParse(parseJson(text));
    return parsed.success ? { value: parsed.data } : { why: describeError(parsed.error) };
  } catch (error) {
    // Nested thousands of levels deep, JSON is valid and yet too much for a parser's stack.
    return { why: describeError(error) };
  }
}

/** Never rejects: what a handler throws is an ending like any other. */
async function invoke(
  app: App,
  handler: AnyHandler,
  payload: unknown,
  job: Job,
  stop: Stop,
): Promise<Ending> {
  try {
    const said = await handler.run(payload, createContext(app, handler, job, stop));
    // A handler without types may say anything.
    return {
      is: "done",
      result: said?.result === undefined ? undefined : describeError(said.result),
    };
  } catch (error) {
    return { is: "threw", error };
  }
}

function underDeadline(
  work: Promise<Ending>,
  seconds: number,
  stop: Stop,
): Promise<Ending | undefined> {
  return new Promise((resolve) => {
    const late = () => stop.now(new StoppedError("deadline"));
    const deadline = deadlines.add(seconds * 1000, late);
    stop.onstop = () => {
      deadlines.delete(deadline);
      resolve(stoppedEnding(work, stop.reason, seconds));
    };
    work.then((ending) => {
      if (stop.stopped) return;
      stop.onstop = undefined;
      deadlines.delete(deadline);
      resolve(ending);
      // Calls on the context end with the run, also those of a handler that left work behind.
      stop.now(ENDED);
    });
  });
}

/** It is the stop that ended a stopped run, whatever its handler still throws or returns; with one exception. */
async function stoppedEnding(
  work: Promise<Ending>,
  reason: unknown,
  seconds: number,
): Promise<Ending | undefined> {
  const why = reason instanceof StoppedError ? reason.why : "lease_lost";
  if (why === "lease_lost") return undefined;
  // A call that the stop has cut off may have taken effect, and running the job again would do it twice.
  const last = await unwound(work);
  if (last?.is === "threw" && last.error instanceof OutcomeUnknownError) return last;
  return why === "deadline" ? { is: "timeout", seconds } : { is: "interrupted" };
}

/** What a handler comes to within a moment of being stopped. */
async function unwound(work: Promise<Ending>): Promise<Ending | undefined> {
  const moment = new AbortController();
  const late = sleep(UNWIND_MS, moment.signal).then(() => undefined);
  const ending = await Promise.race([work, late]);
  moment.abort();
  return ending;
}
