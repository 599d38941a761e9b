/**
 * The errors that mean something to the queue. Any other error is retried.
 * @module
 */
import * as z from "zod";

/** What else an error may say. */
export interface FailureOptions extends ErrorOptions {
  /** The lane that the answer concerns, when it concerns more than the job that asked: a refused token, too many requests. */
  readonly lane?: string;
}

/** Will not get better by trying again: the job is given up at once. */
export class PermanentError extends Error {
  override name = "PermanentError";
  readonly lane?: string;
  constructor(message?: string, options?: FailureOptions) {
    super(message, options);
    this.lane = options?.lane;
  }
}

/** A call that is no read was refused since its kind runs in shadow: nobody was asked. */
export class ShadowError extends PermanentError {
  override name = "ShadowError";
}

/** May succeed later; `retryAfterSeconds` is what the other side asked for. */
export class TemporaryError extends Error {
  override name = "TemporaryError";
  readonly lane?: string;
  constructor(message: string, readonly retryAfterSeconds?: number, options?: FailureOptions) {
    super(message, options);
    this.lane = options?.lane;
  }
}

/** A lane is paused or full: the job goes back and waits for it, at no cost. Nothing was done by the call that met it. */
export class LaneHeldError extends TemporaryError {
  override name = "LaneHeldError";
  /** `caused`: it was the answer to the job's own call that has paused the lane. */
  constructor(message: string, seconds: number, readonly caused: boolean, options?: ErrorOptions) {
    super(message, seconds, options);
  }
}

/** The call may have taken effect, and a repeat could do it twice: a person decides. */
export class OutcomeUnknownError extends Error {
  override name = "OutcomeUnknownError";
}

/** The environment is not fit to start with; holds every problem, one sentence each. */
export class ConfigError extends Error {
  override name = "ConfigError";
  constructor(readonly problems: readonly string[]) {
    super(
      `Cannot start: the configuration has ${problems.length} problem(s)\n- ${
        problems.join("\n- ")
      }`,
    );
  }
}

/** An operator's request that cannot be carried out as things stand. */
export class RefusedError extends Error {
  override name = "RefusedError";
}

const MAX_CAUSES = 5;

/** The message of an error and of its causes, at most five, without a stack. Takes whatever can be thrown, and never throws. */
export function describeError(error: unknown): string {
  try {
    return describe(error, MAX_CAUSES);
  } catch {
    return "an error that cannot be shown";
  }
}

function describe(error: unknown, causes: number): string {
  if (typeof error === "string") return error;
  if (error instanceof z.ZodError) return describeIssues(error);
  if (!(error instanceof Error)) return Deno.inspect(error);
  const message = typeof error.message === "string" ? error.message : Deno.inspect(error.message);
  const hasCause = error.cause !== undefined && causes > 0;
  return `${message || error.name}${hasCause ? `: ${describe(error.cause, causes - 1)}` : ""}`;
}

/** One line for all that does not fit: "order: expected string, received undefined; sum: …". */
function describeIssues({ issues }: z.ZodError): string {
  return issues.map(({ path, message }) => [path.join("."), message].filter(Boolean).join(": "))
    .join("; ");
}
