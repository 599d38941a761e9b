/** The accounts of the stress runs find what they are there to find: each kind of fault, made up, is told. */

import { assertEquals, assertMatch } from "@std/assert";
import { findFaults, missing } from "./account.ts";
import type { RunNote, Step } from "./history.ts";

const NO_RUNS: RunNote[] = [];
const BASE: Step = {
  seq: 0,
  at: 0,
  askedAt: 0,
  is: "moved",
  job: 1,
  kind: "stress.plain",
  key: null,
  event: null,
  entity: null,
  collapses: false,
  from: null,
  status: "pending",
  reason: null,
  claims: 0,
  lost: 0,
  pauses: 0,
  runAt: 0,
  supersededBy: null,
  payload: "{}",
};

/** Steps a second apart, each of them like the one before of the same job but for what is said. */
function history(...said: (Partial<Step> & { job: number })[]): Step[] {
  const last = new Map<number, Step>();
  return said.map((change, index) => {
    const before = last.get(change.job);
    const time = { seq: index, at: index * 1000, askedAt: index * 1000 };
    const status = { is: before ? "moved" : "made", from: before?.status ?? null } as const;
    const step = { ...BASE, ...before, ...status, ...time, ...change };
    last.set(change.job, step);
    return step;
  });
}
const made = (job: number, more: Partial<Step> = {}) => ({ job, ...more });
const claimed = (job: number, claims = 1) => ({ job, claims, status: "running" as const });
const done = (job: number) => ({ job, status: "done" as const });
const failed = (job: number, reason: Step["reason"]) => ({
  job,
  reason,
  status: "failed" as const,
});
const again = (job: number) => ({ job, status: "pending" as const });
const ran = (job: number, claim = 1, began = 0, ended: number | null = 0): RunNote => ({
  job,
  claim,
  began,
  ended,
});
const LEAD = { entity: "lead:1" };

Deno.test("a run in which all went well has no fault", () => {
  const steps = history(
    made(1, LEAD),
    made(2, LEAD),
    claimed(1),
    again(1),
    claimed(1, 2),
    done(1),
    claimed(2),
    failed(2, "worker_lost"),
    { job: 2, is: "removed" },
  );
  assertEquals(findFaults(steps, [ran(1, 1, 0, null), ran(1, 2, 1, 2), ran(2, 1, 3)]), []);
});

const FAULTS: Record<string, [told: RegExp, steps: Step[], runs: RunNote[]]> = {
  "a job that is done twice": [
    /job 1 was done more than once/,
    history(made(1), claimed(1), done(1), claimed(1, 2), done(1)),
    [ran(1), ran(1, 2)],
  ],
  "a job that never ends": [/job 1 has no end/, history(made(1), claimed(1)), NO_RUNS],
  "a reason that a job did not have": [
    /job 1 failed for a reason/,
    history(made(1), claimed(1), failed(1, "timeout")),
    NO_RUNS,
  ],
  "a job that is removed unfinished": [
    /job 1 has no end/,
    history(made(1), { job: 1, is: "removed" }),
    NO_RUNS,
  ],
  "a claim whose number does not grow": [
    /job 1 has a wrong claim number/,
    history(made(1), claimed(1, 0), failed(1, "worker_lost")),
    NO_RUNS,
  ],
  "a claim that is run twice": [
    /claim 1\/1 was run twice/,
    history(made(1), claimed(1), done(1)),
    [ran(1), ran(1)],
  ],
  "a job that is done although its handler is not": [
    /job 1 is done, and its handler is not/,
    history(made(1), claimed(1), done(1)),
    [ran(1, 1, 0, null)],
  ],
  "two jobs of one entity at once": [
    /job 2 began beside 1/,
    history(made(1, LEAD), made(2, LEAD), claimed(1), claimed(2), done(1), done(2)),
    [ran(1), ran(2)],
  ],
  "handlers of one entity at once": [
    /job 2 was run while job 1 of lead:1 was/,
    history(made(1, LEAD), made(2, LEAD), claimed(1), done(1), claimed(2), done(2)),
    [ran(1, 1, 0, 10), ran(2, 1, 5, 20)],
  ],
  "a job that goes before an older one": [
    /job 2 passed job 1 .*which came first/,
    history(made(1, LEAD), made(2, LEAD), claimed(2), done(2), claimed(1), done(1)),
    [ran(2), ran(1)],
  ],
  "a job that goes while another waits for its next attempt": [
    /job 2 passed job 1 .*keeps its turn/,
    history(
      ...[made(1, LEAD), made(2, LEAD), claimed(1), { ...again(1), runAt: 1e9 }],
      ...[claimed(2), done(2), claimed(1, 2), done(1)],
    ),
    [ran(1), ran(2), ran(1, 2)],
  ],
  "a job that is superseded by one of another entity": [
    /job 1 was superseded by 2, which it cannot be/,
    history(
      made(1, { ...LEAD, collapses: true }),
      made(2, { entity: "lead:2", collapses: true }),
      ...[claimed(2), { job: 1, status: "superseded" as const, supersededBy: 2 }, done(2)],
    ),
    [ran(2)],
  ],
};
for (const [what, [told, steps, runs]] of Object.entries(FAULTS)) {
  Deno.test(`the accounts find ${what}`, () => {
    assertMatch(findFaults(steps, runs).join("\n"), told);
  });
}

Deno.test("the accounts find what was promised and never made", () => {
  const steps = history(made(1, { event: "7", payload: '{"children":1}' }), claimed(1), done(1));
  const events = new Map([["7", 2]]);
  assertEquals(missing(steps, { jobs: new Set([2]), events, repeats: { count: 0 } }), [
    "job 2 is missing",
    "event 7 has not its 2 jobs",
    "child:1:0 is missing",
  ]);
});
