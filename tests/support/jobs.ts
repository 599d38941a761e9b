/** Short ways to make, take and end jobs in tests. */

import * as z from "zod";
import type { AnyHandler, Job, Result } from "../../lib/contract.ts";
import { defineHandler } from "../../lib/define.ts";
import { claimJobs, type ClaimRequest } from "../../lib/db/claim.ts";
import { type Claim, settleJobs, type Transition } from "../../lib/db/claims.ts";
import type { Queries } from "../../lib/db/db.ts";
import type { DeliveryRow } from "../../lib/db/events.ts";
import { getJob, type JobView } from "../../lib/db/jobs_view.ts";

/** Claims as a worker would that knows only the kind `work`, unless told otherwise. */
export function claim(
  db: Queries,
  request: Partial<Omit<ClaimRequest, "kinds">> & {
    kinds?: string[];
    leaseSeconds?: number;
    lane?: string;
  } = {},
): Promise<Job[]> {
  const { kinds = ["work"], leaseSeconds = 60, lane = null, ...rest } = request;
  return plain(claimJobs(db, {
    worker: "test",
    limit: 1,
    except: [],
    quarantined: false,
    kinds: kinds.map((kind) => ({ kind, lane, leaseSeconds })),
    ...rest,
  }));
}

/** Ends claims alike: `done` unless told otherwise. Gives those that still held. */
export function settle(
  db: Queries,
  claims: readonly Claim[],
  transition: Partial<Transition> = {},
): Promise<Claim[]> {
  return plain(
    settleJobs(db, claims.map(({ id, claims }) => ({ id, claims, ...ENDED, ...transition }))),
  );
}

/** The rows of a statement without what the driver says about them. */
export async function plain<T extends object>(rows: Promise<readonly T[]>): Promise<T[]> {
  return (await rows).map((row) => ({ ...row }));
}

const ENDED: Transition = {
  status: "done",
  reason: null,
  delaySeconds: 0,
  refund: false,
  stepsAside: false,
  error: null,
  result: null,
  pauses: null,
};

/** Makes the lease of every running job end a second ago. */
export async function endLeases({ sql }: Queries): Promise<void> {
  await sql`update jobs set locked_until = now() - interval '1 second' where status = 'running'`;
}

/** A job that must be there. */
export async function jobOf(db: Queries, id: string | undefined): Promise<JobView> {
  const job = id === undefined ? undefined : await getJob(db, id);
  if (!job) throw new Error(`There is no job ${id}`);
  return job;
}

/** A handler of the kind `work` for any payload, unless told otherwise. */
export function handlerOf(
  run: (payload: Record<string, unknown>, context: RunContext) => Promise<void | Result>,
  options: { kind?: string; lane?: string; timeoutSeconds?: number; leaseSeconds?: number } = {},
): AnyHandler {
  return defineHandler({
    kind: "work",
    payload: z.record(z.string(), z.unknown()),
    ...options,
    run: (payload, context) => run(payload, context as RunContext),
  });
}

/** What a handler of a test is given. */
export type RunContext = Parameters<AnyHandler["run"]>[1];

/** A delivery as it is stored. */
export function deliveryRow(parts: Partial<DeliveryRow> = {}): DeliveryRow {
  return {
    source: "site",
    dedupKey: null,
    secretIndex: 0,
    path: "/hooks/site",
    query: "",
    headers: {},
    body: new TextEncoder().encode("{}"),
    error: null,
    jobs: [],
    ...parts,
  };
}
