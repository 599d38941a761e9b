/**
 * What parts that may not reach the outside themselves need of it: one call at a time, and the meaning of its answer.
 *
 * `call` and `check` of `lib/outside/` fit, bound to a signal and to the shadow of the job.
 * @module
 */

/** One call to an outside service. */
export interface OutsideCall {
  /** What it does, as it reads after "Cannot": `store the contract`. */
  readonly what: string;
  readonly url: URL;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array<ArrayBuffer>;
  /** Whether a repeat does no harm. */
  readonly idempotent: boolean;
  /** Whether nothing changes on the other side. */
  readonly reads: boolean;
  /** From the first packet to the last byte of the answer. */
  readonly deadlineSeconds: number;
  /** What is read of the answer; the rest is dropped. */
  readonly maxBodyBytes: number;
  /** Ends the call beside the job's own signal. */
  readonly signal?: AbortSignal;
}

/** An answer that has been read. */
export interface OutsideAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Uint8Array<ArrayBuffer>;
}

/** The way to the outside. */
export interface Outside {
  /** Throws TemporaryError when there was no whole answer in time. */
  call(request: OutsideCall): Promise<OutsideAnswer>;
  /** Throws PermanentError or TemporaryError for a status that is not 2xx; `temporary` are statuses that may pass. */
  check(
    answer: OutsideAnswer,
    what: string,
    exceptions?: { readonly temporary?: readonly number[] },
  ): unknown;
}
