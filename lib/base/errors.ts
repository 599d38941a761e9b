/**
 * The errors that mean something to the queue. Any other error is retried.
 * @module
 */

/** Will not get better by trying again: the job is given up at once. */
export class PermanentError extends Error {
  override name = "PermanentError";
}

/** May succeed later; `retryAfterSeconds` is what the other side asked for. */
export class TemporaryError extends Error {
  override name = "TemporaryError";
  constructor(message: string, readonly retryAfterSeconds?: number, options?: ErrorOptions) {
    super(message, options);
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

/** The message of an error and of its causes, at most five, without a stack. Takes whatever can be thrown. */
export function describeError(error: unknown, causes = MAX_CAUSES): string {
  if (typeof error === "string") return error;
  if (!(error instanceof Error)) return Deno.inspect(error);
  const hasCause = error.cause !== undefined && causes > 0;
  const cause = hasCause ? `: ${describeError(error.cause, causes - 1)}` : "";
  return `${error.message || error.name}${cause}`;
}
