/**
 * What an operator does with lanes by hand.
 * @module
 */
import type { App } from "../app.ts";
import { RefusedError } from "../base/errors.ts";
import { nameHint } from "../base/nearest.ts";
import { type LaneView, listLanes, pauseLaneByHand, resumeLane } from "../db/lanes_view.ts";
import { kindsInLanes } from "./lane.ts";

type Parts = Pick<App, "db" | "registry">;

/** A lane with the kinds whose jobs it holds while it is paused. */
export interface KnownLane extends LaneView {
  readonly kinds: readonly string[];
}

const UNUSED: Omit<LaneView, "name"> = {
  since: null,
  sinceSeconds: 0,
  pausedUntil: null,
  paused: false,
  reason: null,
  pauses: 0,
  rate: null,
};

/** The lanes of all kinds, and those within them of which anything is known, by name. */
export async function listKnownLanes({ db, registry }: Parts): Promise<KnownLane[]> {
  const noted = new Map((await listLanes(db, "all")).map((lane) => [lane.name, lane]));
  const kinds = kindsInLanes(registry);
  const names = new Set([...kinds.flatMap(({ lane }) => lane ?? []), ...noted.keys()]);
  return [...names].toSorted().map((name) => ({
    name,
    ...noted.get(name) ?? UNUSED,
    kinds: kinds.filter(({ lane }) => lane === name).map(({ kind }) => kind),
  }));
}

/** Holds the jobs of a lane until it is resumed. Throws RefusedError when there is no such lane. */
export async function pauseByHand(app: Parts, name: string, reason: string): Promise<void> {
  await findLane(app, name);
  await pauseLaneByHand(app.db, name, reason);
}

/** Lets a paused lane be used again. Throws RefusedError when there is no such lane, or it is not paused. */
export async function resume(app: Parts, name: string): Promise<void> {
  await findLane(app, name);
  if (!await resumeLane(app.db, name)) {
    throw new RefusedError(`Cannot resume the lane ${name}: it is not paused`);
  }
}

/** A lane by its name. Throws RefusedError when there is none. */
export async function findLane(app: Parts, name: string): Promise<KnownLane> {
  const lanes = await listKnownLanes(app);
  const found = lanes.find((lane) => lane.name === name);
  if (found) return found;
  const hint = nameHint(name, lanes.map((lane) => lane.name), "lanes");
  throw new RefusedError(`There is no lane "${name}"; ${hint}`);
}
