/** Accounts for every job of a stress run: what the history and the handlers' notes say must not contradict the rules. */

import { ASIDE_KINDS, childKey } from "./handlers.ts";
import type { RunNote, Step } from "./history.ts";
import type { Made } from "./load.ts";
import { mayFailBy } from "./mixes.ts";

/** How long a transaction that has written a job may take to commit: what is younger need not be seen by a claim. */
const COMMIT_MS = 500;

const MOVES = new Set([
  "pending running",
  // Its time has changed.
  "pending pending",
  "pending superseded",
  "pending failed",
  "running pending",
  "running done",
  "running failed",
  "failed pending",
]);

/** One line for each breach of a rule; empty when all is well. */
export function findFaults(history: readonly Step[], runs: readonly RunNote[]): string[] {
  const made = new Map(history.filter(({ is }) => is === "made").map((step) => [step.job, step]));
  const jobs = Map.groupBy(history, ({ job }) => job);
  const entities = Map.groupBy(history.filter(({ entity }) => entity !== null), (s) => s.entity!);
  return [
    ...[...jobs.values()].flatMap((story) => [...storyFaults(story), ...endFaults(story, made)]),
    ...runFaults(history, runs),
    ...[...entities.values()].flatMap((steps) => [
      ...turnFaults(steps),
      ...overlapFaults(steps, runs),
    ]),
  ];
}

/** A job's states follow each other as they may, its claims only grow, and after an end nothing comes. */
function storyFaults(story: readonly Step[]): string[] {
  const faults: string[] = [];
  const [first, ...rest] = story;
  if (first?.is !== "made" || first.status !== "pending") faults.push(say(first!, "was not made"));
  let before = first!;
  for (const step of rest) {
    const move = `${step.from} ${step.status}`;
    if (before.is === "removed") faults.push(say(step, "changed after it was removed"));
    if (step.from !== before.status) faults.push(say(step, `was ${before.status} before`));
    if (step.is === "moved" && !MOVES.has(move)) faults.push(say(step, "may not do so"));
    const claimed = step.is === "moved" && move === "pending running" ? 1 : 0;
    if (step.claims !== before.claims + claimed) faults.push(say(step, "has a wrong claim number"));
    before = step;
  }
  return faults;
}

/** A job is done once, or failed with a reason that fits it, or superseded by a newer one of its entity; only then it may go. */
function endFaults(story: readonly Step[], made: ReadonlyMap<number, Step>): string[] {
  const last = story.at(-1)!;
  const done = story.filter(({ is, status }) => is === "moved" && status === "done");
  const reasons = mayFailBy(story[0]!.payload);
  const faults = story.filter(({ reason }) => reason !== null && !reasons.includes(reason))
    .map((step) => say(step, "failed for a reason that it did not have"));
  if (done.length > 1) faults.push(say(last, "was done more than once"));
  if (last.status === "failed" && last.reason === null) faults.push(say(last, "has no reason"));
  if (last.status === "pending" || last.status === "running") faults.push(say(last, "has no end"));
  if (last.status !== "superseded") return faults;
  const newer = made.get(last.supersededBy!);
  if (newer?.entity !== last.entity || !newer.collapses || newer.job <= last.job) {
    faults.push(say(last, `was superseded by ${last.supersededBy}, which it cannot be`));
  }
  return faults;
}

/** A claim is run once, and one that ended as done was run to its end. */
function runFaults(history: readonly Step[], runs: readonly RunNote[]): string[] {
  const byClaim = Map.groupBy(runs, ({ job, claim }) => `${job}/${claim}`);
  const twice = [...byClaim].filter(([_, notes]) => notes.length > 1)
    .map(([claim]) => `claim ${claim} was run twice`);
  const unfinished = history.filter(({ is, job, status, claims }) =>
    is === "moved" && status === "done" && byClaim.get(`${job}/${claims}`)?.[0]?.ended == null
  );
  return [...twice, ...unfinished.map((step) => say(step, "is done, and its handler is not"))];
}

interface Waiting {
  readonly step: Step;
  /** Whether it waits for another attempt, and keeps the turn meanwhile. */
  readonly holds: boolean;
}

/** Jobs of one entity run one at a time, in the order of their ids, and none passes one that waits for its next attempt. */
function turnFaults(steps: readonly Step[]): string[] {
  const faults: string[] = [];
  const waiting = new Map<number, Waiting>();
  const running = new Set<number>();
  const last = new Map<number, Step>();
  for (const step of steps) {
    if (step.status === "running") {
      if (running.size > 0) faults.push(say(step, `began beside ${[...running].join(", ")}`));
      const passed = passedBy(step, waiting, supersededWith(step, steps));
      if (passed) {
        const why = passed.holds ? "which keeps its turn between attempts" : "which came first";
        faults.push(say(step, `passed job ${passed.step.job} (step ${passed.step.seq}), ${why}`));
      }
      running.add(step.job);
    } else running.delete(step.job);
    const holds = keepsTurn(step, last.get(step.job), waiting.get(step.job));
    if (step.status === "pending") waiting.set(step.job, { step, holds });
    else waiting.delete(step.job);
    last.set(step.job, step);
  }
  return faults;
}

/** A lost job keeps its turn whatever its kind says; one that an operator brings back waits in line. */
function keepsTurn(step: Step, before: Step | undefined, waits: Waiting | undefined): boolean {
  if (step.from === "pending") return waits?.holds ?? false;
  const isLost = step.lost > (before?.lost ?? 0);
  return step.from === "running" && (isLost || !ASIDE_KINDS.includes(step.kind));
}

/** The jobs that the claim of this one made superseded: it runs at the place of the oldest. */
function supersededWith({ job, seq }: Step, steps: readonly Step[]): number[] {
  const until = steps.find((later) => later.seq > seq && later.job === job)?.seq ?? Infinity;
  return steps.filter((step) => step.is === "moved" && step.supersededBy === job)
    .filter((step) => step.seq < until).map((step) => step.job);
}

function passedBy(
  begun: Step,
  waiting: ReadonlyMap<number, Waiting>,
  superseded: readonly number[],
): Waiting | undefined {
  const others = [...waiting.values()]
    .filter(({ step }) => step.job !== begun.job && !superseded.includes(step.job));
  const holder = others.find(({ holds }) => holds);
  if (holder || waiting.get(begun.job)?.holds) return holder;
  const place = Math.min(begun.job, ...superseded);
  return others.find(({ step }) =>
    step.job < place && step.at < begun.askedAt - COMMIT_MS && step.runAt < begun.askedAt
  );
}

/** By the handlers' own clocks too, no run began before the one before it had ended, unless that one had lost its lease. */
function overlapFaults(steps: readonly Step[], runs: readonly RunNote[]): string[] {
  const jobs = new Set(steps.map(({ job }) => job));
  const settled = new Set(
    steps.filter((step) => step.from === "running" && step.status === "done")
      .map(({ job, claims }) => `${job}/${claims}`),
  );
  let before: RunNote | undefined;
  const faults: string[] = [];
  for (const run of runs.filter(({ job }) => jobs.has(job))) {
    const held = before && settled.has(`${before.job}/${before.claim}`);
    if (held && run.began < before!.ended!) {
      faults.push(`job ${run.job} was run while job ${before!.job} of ${steps[0]!.entity} was`);
    }
    before = run;
  }
  return faults;
}

/** What the product said it made, and the history does not know; and children that a job which is done has not made. */
export function missing(history: readonly Step[], { jobs, events }: Made): string[] {
  const made = history.filter(({ is }) => is === "made");
  const known = new Set(made.map(({ job }) => job));
  const lost = [...jobs].filter((job) => !known.has(job)).map((job) => `job ${job} is missing`);
  const routed = made.filter(({ key, event }) => event !== null && !isChild(key));
  const byEvent = Map.groupBy(routed, ({ event }) => event!);
  const halved = [...events].filter(([event, jobs]) => (byEvent.get(event)?.length ?? 0) !== jobs)
    .map(([event, jobs]) => `event ${event} has not its ${jobs} jobs`);
  const strays = [...byEvent.keys()].filter((event) => !events.has(event))
    .map((event) => `event ${event} has jobs although it was refused`);
  return [...lost, ...halved, ...strays, ...childless(history, made)];
}

function childless(history: readonly Step[], made: readonly Step[]): string[] {
  const keys = new Set(made.map(({ key }) => key));
  const wanted = new Map(made.map(({ job, payload }) => [job, JSON.parse(payload).children ?? 0]));
  return history.filter(({ is, status }) => is === "moved" && status === "done")
    .flatMap(({ job }) => Array.from({ length: wanted.get(job) }, (_, n) => childKey(job, n)))
    .filter((key) => !keys.has(key)).map((key) => `${key} is missing`);
}

const isChild = (key: string | null) => key?.startsWith("child:") ?? false;

/** How often what happened: by what a job became, by its reason when it was given up, and by what befell it. */
export function count(history: readonly Step[]): Record<string, number> {
  const counts: Record<string, number> = {};
  const add = (what: string) => counts[what] = (counts[what] ?? 0) + 1;
  const last = new Map<number, Step>();
  for (const step of history) {
    const { is, from, status, reason, key } = step;
    if (is !== "moved") add(is);
    else if (from === "running" && status === "pending") {
      const before = last.get(step.job)!;
      if (step.pauses > before.pauses) add("pauses");
      else add(step.lost > before.lost ? "lost" : "again");
    } else if (from !== status && status !== "running") add(reason ?? status);
    if (is === "made" && isChild(key)) add("children");
    last.set(step.job, step);
  }
  return counts;
}

function say({ job, seq, from, status, reason, claims }: Step, what: string): string {
  return `job ${job} ${what} (step ${seq}: ${from} to ${status} ${reason ?? ""}, claim ${claims})`;
}
