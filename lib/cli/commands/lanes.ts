/**
 * `hookwork lanes` and `hookwork lane`: which outside services hold their jobs, and a person's word on it.
 * @module
 */
import type { App } from "../../app.ts";
import {
  findLane,
  type KnownLane,
  listKnownLanes,
  pauseByHand,
  resume,
} from "../../flow/operate_lanes.ts";
import type { Page } from "../output.ts";
import { renderFields, renderTable } from "../table.ts";

const BY_HAND = "paused by hand";

/** All lanes. */
export function lanes(app: App): Promise<KnownLane[]> {
  return listKnownLanes(app);
}

/** A table. */
export function renderLanes(found: readonly KnownLane[], page: Page): string {
  if (found.length === 0) return "No kind names a lane.";
  return renderTable(found, [
    { title: "LANE", cell: ({ name }) => name },
    { title: "IS", cell: (lane) => describeState(lane, page) },
    { title: "SINCE", cell: ({ since }) => since && page.time(since) },
    { title: "A SECOND", cell: ({ rate }) => rate, right: true },
    { title: "KINDS", cell: ({ kinds }) => kinds.join(", "), flexible: true },
    { title: "REASON", cell: ({ reason }) => reason, flexible: true },
  ], page.columns);
}

/** What a person wants of a lane. */
export interface LaneOptions {
  readonly action?: "pause" | "resume";
  readonly reason?: string;
}

/** Does what is asked, and shows the lane as it stands then. Throws RefusedError when that cannot be. */
export async function lane(app: App, name: string, options: LaneOptions): Promise<KnownLane> {
  const { action, reason } = options;
  if (action === "pause") {
    await pauseByHand(app, name, reason === undefined ? BY_HAND : `${BY_HAND}: ${reason}`);
  }
  if (action === "resume") await resume(app, name);
  return await findLane(app, name);
}

/** How the lane stands, and what follows. */
export function renderLane(lane: KnownLane, page: Page): string {
  const { name, kinds, since, reason, rate, paused } = lane;
  const fields = renderFields([
    ["lane", name],
    ["is", describeState(lane, page)],
    ["since", since && page.time(since)],
    ["reason", reason],
    ["calls a second", rate],
    ["kinds", kinds.join(", ") || null],
  ]);
  return paused ? `${fields}\n\nLet it be used again:  hookwork lane ${name} resume` : fields;
}

function describeState({ since, paused, pausedUntil }: KnownLane, page: Page): string {
  if (since === null) return "open";
  if (!paused) return "to be probed by its next job";
  return pausedUntil === null ? "paused until resumed" : `paused until ${page.time(pausedUntil)}`;
}
