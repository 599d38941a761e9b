/**
 * Calls to the fake amoCRM that go wrong on demand.
 * @module
 */
import type { Hold } from "../hold.ts";
import { type Reply, replyOf } from "./reply.ts";

/** How a call goes wrong. */
export type Failure =
  /** Refused, and nothing happens; as the API words this status unless told otherwise. */
  | {
    readonly status: number;
    readonly json?: unknown;
    readonly page?: string;
    readonly headers?: Readonly<Record<string, string>>;
  }
  /** Carried out, then the connection is dropped without an answer. */
  | { readonly lost: true }
  /** Carried out, then answered late. */
  | { readonly delayMs: number }
  /** Carried out, then not answered before it is let on; for those in the same process. */
  | { readonly hold: Hold };

/** Which calls go wrong: all, or those of a method, or to a path that has this in it. */
export interface Match {
  readonly method?: string;
  readonly path?: string;
}

/** What goes wrong. */
export interface Faults {
  /** The next calls that fit go wrong in this order. */
  next(failures: readonly Failure[], match?: Match): void;
  /** From now on each call that fits goes wrong; the latest rule that fits wins. */
  always(failure: Failure, match?: Match): void;
  /** All is well again. */
  clear(): void;
  /** Takes what is in store for this call. */
  take(method: string, path: string): Failure | undefined;
}

/** Nothing goes wrong yet. */
export function createFaults(): Faults {
  let queue: { failure: Failure; match: Match }[] = [];
  let rules: { failure: Failure; match: Match }[] = [];
  return {
    next(failures, match = {}) {
      queue.push(...failures.map((failure) => ({ failure, match })));
    },
    always(failure, match = {}) {
      rules.unshift({ failure, match });
    },
    clear() {
      queue = [];
      rules = [];
    },
    take(method, path) {
      const index = queue.findIndex(({ match }) => fits(match, method, path));
      if (index >= 0) return queue.splice(index, 1)[0]!.failure;
      return rules.find(({ match }) => fits(match, method, path))?.failure;
    },
  };
}

/** The refusal that a failure stands for; undefined when the call is carried out. */
export function refusalOf(failure: Failure | undefined): Reply | undefined {
  if (failure === undefined || !("status" in failure)) return undefined;
  const { status, json, page, headers } = failure;
  if (json === undefined && page === undefined) {
    const reply = replyOf(status);
    return { ...reply, headers: { ...reply.headers, ...headers } };
  }
  const type = json === undefined ? "text/html" : "application/json";
  return { status, json, page, headers: { "content-type": type, ...headers } };
}

function fits(match: Match, method: string, path: string): boolean {
  return (match.method ?? method) === method && path.includes(match.path ?? "");
}
