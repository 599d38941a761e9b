/** What the stress runs are mixed of: which jobs, and how many of each. */

import type { NewJob, Reason } from "../../../lib/contract.ts";
import type { Behaviour } from "./handlers.ts";

/** What chance decides of one job: `random` gives numbers from 0 to 1, `things` is where the outside world creates them. */
export interface Draw {
  readonly random: () => number;
  readonly things: URL;
}

/** One sort of job, and how often it comes beside the others. */
export interface Part {
  readonly weight: number;
  make(draw: Draw): NewJob;
}

const below = ({ random }: Draw, limit: number) => Math.floor(random() * limit);
const lead = (draw: Draw) => `lead:${below(draw, 12)}`;

function job(draw: Draw, behaviour: Behaviour, more: Partial<NewJob> = {}): NewJob {
  const kind = draw.random() < 0.7 ? "stress.plain" : "stress.other";
  const priority = below(draw, 4) as NewJob["priority"];
  return { kind, priority, payload: { ms: below(draw, 80), ...behaviour }, ...more };
}

const PLAIN: readonly Part[] = [
  { weight: 8, make: (draw) => job(draw, {}) },
  { weight: 2, make: (draw) => job(draw, {}, { key: `key:${below(draw, 300)}` }) },
  { weight: 2, make: (draw) => job(draw, {}, { delaySeconds: draw.random() * 3 }) },
  { weight: 2, make: (draw) => job(draw, { temporary: 1 + below(draw, 2) }) },
  { weight: 1, make: (draw) => job(draw, { temporary: 9 }, { maxAttempts: 1 + below(draw, 2) }) },
  { weight: 1, make: (draw) => job(draw, { permanent: 1 }) },
  { weight: 0.4, make: (draw) => job(draw, { hang: 1 }, { kind: "stress.short", maxAttempts: 1 }) },
  { weight: 0.4, make: () => ({ kind: "stress.plain", payload: { ms: "soon" } }) },
];

const ORDERED: readonly Part[] = [
  { weight: 6, make: (draw) => job(draw, {}, { entity: lead(draw) }) },
  { weight: 1, make: (draw) => job(draw, { temporary: 1 }, { entity: lead(draw) }) },
  {
    weight: 1,
    make: (draw) => job(draw, {}, { entity: lead(draw), delaySeconds: draw.random() * 3 }),
  },
  { weight: 0.5, make: (draw) => job(draw, { permanent: 1 }, { entity: lead(draw) }) },
  {
    weight: 1,
    make: (draw) => job(draw, { temporary: 1 }, { kind: "stress.aside", entity: lead(draw) }),
  },
  {
    weight: 0.2,
    make: (draw) =>
      job(draw, { hang: 1 }, { kind: "stress.short", entity: lead(draw), maxAttempts: 1 }),
  },
  { weight: 4, make: (draw) => job(draw, {}, { collapse: `contract:${below(draw, 8)}` }) },
  {
    weight: 1,
    make: (draw) => job(draw, { temporary: 1 }, { collapse: `contract:${below(draw, 8)}` }),
  },
  // Both in one: what a collapse key makes pointless is only what has that key too.
  { weight: 1, make: (draw) => job(draw, {}, { collapse: lead(draw) }) },
  { weight: 1, make: (draw) => job(draw, { children: 1 + below(draw, 3) }) },
  {
    weight: 2,
    make: (draw) => job(draw, { thing: new URL(`thing-${below(draw, 1e9)}`, draw.things).href }),
  },
  { weight: 0.2, make: (draw) => job(draw, { exit: 1 }) },
  {
    weight: 3,
    make: (draw) =>
      job(draw, { pauses: below(draw, 20) ? 0 : 1 + below(draw, 3) }, { kind: "stress.in_lane" }),
  },
  {
    weight: 0.5,
    make: (draw) =>
      job(draw, { pauses: below(draw, 4) ? 0 : 1 }, { kind: "stress.in_lane", entity: lead(draw) }),
  },
];

/** What one stress run is mixed of. */
export interface Mix {
  readonly name: string;
  readonly parts: readonly Part[];
  /** The figures that are above zero after a long run: see `count()`. */
  readonly figures: readonly string[];
}

const ALWAYS = [
  ...["freezes", "kills", "stops", "retried", "cancelled", "commands"],
  ...["done", "permanent", "exhausted", "timeout", "bad_payload", "again", "lost", "removed"],
];

/** The two mixes. What else a worker can be given is one more list of parts in the second. */
export const MIXES: readonly Mix[] = [
  { name: "plain jobs", parts: PLAIN, figures: ALWAYS },
  {
    name: "entities, collapse keys, children, effects, lanes and poison",
    parts: [...PLAIN, ...ORDERED],
    figures: [...ALWAYS, "superseded", "children", "things", "deaths", "pauses"],
  },
];

/** Draws one job of a mix. */
export function drawJob(parts: readonly Part[], draw: Draw): NewJob {
  let left = draw.random() * parts.reduce((sum, { weight }) => sum + weight, 0);
  const part = parts.find(({ weight }) => (left -= weight) < 0) ?? parts[0]!;
  return part.make(draw);
}

/** For what a job with this payload may be given up: whatever else it fails for is a fault of ours. */
export function mayFailBy(payload: string): readonly Reason[] {
  const said: Behaviour = JSON.parse(payload);
  const reasons: Reason[] = ["worker_lost", "cancelled"];
  if (typeof said.ms === "string") reasons.push("bad_payload");
  if (said.permanent) reasons.push("permanent");
  if (said.temporary) reasons.push("exhausted");
  if (said.hang) reasons.push("timeout");
  return reasons;
}
