/** What a worker gives to handlers, for tests of handlers alone. */
import type {
  AnyHandler,
  ClientDefinitions,
  Handler,
  Job,
  JobContext,
  Result,
} from "../../lib/contract.ts";
import type { Settings } from "../../lib/setting.ts";
import { keptLog } from "../outside/support.ts";

/** A job of some event, as it was claimed first. */
const job: Job = {
  id: "2",
  kind: "any",
  payload: "{}",
  eventId: "1",
  key: null,
  attempts: 1,
  maxAttempts: 8,
  claims: 1,
  lost: 0,
  pauses: 0,
  heldSeconds: 0,
};

/** Runs a handler once with these settings and clients. */
export async function run<P, D extends ClientDefinitions, S extends Settings>(
  handler: Handler<P, D, S>,
  payload: P,
  given: Partial<JobContext<D, S>> = {},
): Promise<void | Result> {
  const { signal } = new AbortController();
  return await handler.run(
    payload,
    { job, signal, log: keptLog(), shadow: false, ...given } as JobContext<D, S>,
  );
}

/** Whether a payload fits a handler. */
export function fits(handler: AnyHandler, payload: unknown): boolean {
  return handler.payload.safeParse(payload).success;
}
