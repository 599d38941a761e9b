/**
 * `hookwork status`: whether all is well, and what the queue is at.
 *
 * It ends with 0 whenever it could look, also at something bad: 1 says that the database cannot be used.
 * Whoever wants an exit code for the whole asks `hookwork check`.
 * @module
 */
import type { App } from "../../app.ts";
import { RefusedError } from "../../base/errors.ts";
import { formatSeconds } from "../../base/span.ts";
import {
  countFailedJobs,
  countJobs,
  countUnroutedEvents,
  type DueKind,
  listDueKinds,
  listRunningJobs,
  type RunningJob,
} from "../../db/health.ts";
import { type HeldEntity, listHeldEntities } from "../../db/entities.ts";
import { listOpenGaps } from "../../db/gaps.ts";
import { outerLane } from "../../db/lanes.ts";
import { type LaneView, listLanes } from "../../db/lanes_view.ts";
import { getLastSlots } from "../../db/schedules.ts";
import { judgeGaps } from "../../flow/doctor_queue.ts";
import { checkReadiness } from "../../flow/ready.ts";
import { CONTACT_MS } from "../open.ts";
import type { Page } from "../output.ts";
import { renderFields, renderTable } from "../table.ts";

const MAX_RUNNING = 20;
const MAX_HELD = 10;
const RECENT_HOURS = 24;

/** The queue at one moment. */
export interface QueueStatus {
  /** What a human should look at; empty when all is well. */
  readonly warnings: readonly string[];
  readonly counts: Readonly<Record<string, number>>;
  readonly due: readonly DueKind[];
  /** At most 20, those whose lease ends first. */
  readonly running: readonly RunningJob[];
  /** At most 10 entities whose jobs wait for one of them, those that have waited longest first. */
  readonly held: readonly HeldEntity[];
  readonly schedules: readonly Slot[];
}

/** A schedule and the last slot that gave a job. */
export interface Slot {
  readonly name: string;
  readonly kind: string;
  readonly lastSlot: string | null;
}

/** Looks at the queue. Throws RefusedError when the database cannot be used, or is not of this version. */
export async function status(app: App): Promise<QueueStatus> {
  const { problems, warnings } = await checkReadiness(app, CONTACT_MS);
  if (problems.length > 0) throw new RefusedError(`Cannot show the status: ${problems.join("; ")}`);
  const due = await listDueKinds(app.db);
  const running = await listRunningJobs(app.db, MAX_RUNNING);
  const failed = await countFailedJobs(app.db, RECENT_HOURS);
  const unrouted = await countUnroutedEvents(app.db, RECENT_HOURS);
  const gaps = await listOpenGaps(app.db);
  const slots = await getLastSlots(app.db);
  const lanes = await listLanes(app.db, "failing");
  return {
    warnings: [
      ...warnings,
      ...failureWarnings(failed),
      ...unroutedWarnings(unrouted),
      ...judgeGaps(gaps).filter(({ level }) => level !== "ok")
        .map(({ detail }) => `${detail}; \`hookwork gaps\``),
      // Readiness tells of those that have lasted.
      ...lanes.filter(({ name }) =>
        outerLane(name) === name && !warnings.some((text) => text.startsWith(`The lane ${name} `))
      ).map(laneWarning),
      ...due.filter(({ kind }) => !app.registry.handlers.has(kind)).map(strangerWarning),
    ],
    counts: Object.fromEntries(await countJobs(app.db)),
    due,
    running,
    held: await listHeldEntities(app.db, MAX_HELD),
    schedules: app.registry.schedules.map(({ name, kind }) => (
      { name, kind, lastSlot: slots.get(name) ?? null }
    )),
  };
}

function failureWarnings(count: number): string[] {
  if (count === 0) return [];
  return [`${count} job(s) were given up in the last ${RECENT_HOURS} hours; \`hookwork failed\``];
}

function unroutedWarnings(count: number): string[] {
  if (count === 0) return [];
  const events = `${count} event(s) of the last ${RECENT_HOURS} hours were kept without jobs`;
  return [`${events}; \`hookwork events --errors\``];
}

function laneWarning({ name, reason }: LaneView): string {
  return `The lane ${name} holds its jobs: ${reason}; \`hookwork lane ${name}\``;
}

function strangerWarning({ kind, count }: DueKind): string {
  return `${count} due job(s) are of the kind "${kind}", which no handler of this version has`;
}

/** The verdict first: it is what is wanted within three seconds. */
export function renderStatus(status: QueueStatus, page: Page): string {
  const { warnings, counts, due, running, held, schedules } = status;
  const verdict = warnings.length === 0
    ? "All is well."
    : `Not well:\n${warnings.map((warning) => `- ${warning}`).join("\n")}`;
  const oldest = due[0];
  const summary = renderFields([
    [
      "jobs",
      Object.entries(counts).map(([name, count]) => `${count} ${name}`).join(", ") || "none",
    ],
    ["oldest due", oldest ? `${formatSeconds(oldest.oldestSeconds)} (${oldest.kind})` : "none"],
  ]);
  return [
    verdict,
    summary,
    ...(due.length === 0 ? [] : [renderDue(due, page)]),
    ...(running.length === 0 ? [] : [renderRunning(status, page)]),
    ...(held.length === 0 ? [] : [renderHeld(held, page)]),
    ...(schedules.length === 0 ? [] : [renderSchedules(schedules, page)]),
  ].join("\n\n");
}

function renderDue(due: readonly DueKind[], page: Page): string {
  return renderTable(due, [
    { title: "DUE KIND", cell: ({ kind }) => kind, flexible: true },
    { title: "JOBS", cell: ({ count }) => count, right: true },
    { title: "OLDEST", cell: ({ oldestSeconds }) => formatSeconds(oldestSeconds), right: true },
  ], page.columns);
}

function renderRunning({ running, counts }: QueueStatus, page: Page): string {
  const table = renderTable(running, [
    { title: "RUNNING", cell: ({ id }) => id, right: true },
    { title: "KIND", cell: ({ kind }) => kind, flexible: true },
    { title: "HELD BY", cell: ({ lockedBy }) => lockedBy, flexible: true },
    { title: "SINCE", cell: ({ startedAt }) => page.time(startedAt) },
    { title: "LEASE", cell: renderLease, right: true },
  ], page.columns);
  const more = (counts.running ?? 0) - running.length;
  return more > 0 ? `${table}\nand ${more} more: hookwork jobs --status running` : table;
}

function renderLease({ leaseSeconds }: RunningJob): string {
  return leaseSeconds < 0 ? `${formatSeconds(-leaseSeconds)} over` : formatSeconds(leaseSeconds);
}

function renderHeld(held: readonly HeldEntity[], page: Page): string {
  return renderTable(held, [
    { title: "HELD ENTITY", cell: ({ entity }) => entity, flexible: true },
    { title: "WAITING", cell: ({ followers }) => followers, right: true },
    { title: "FOR JOB", cell: ({ jobId }) => jobId, right: true },
    { title: "KIND", cell: ({ kind }) => kind, flexible: true },
    { title: "WHICH IS", cell: renderHolder },
  ], page.columns);
}

function renderHolder({ status, attempts }: HeldEntity): string {
  return status === "running" ? "running" : `tried again (${attempts} so far)`;
}

function renderSchedules(schedules: readonly Slot[], page: Page): string {
  return renderTable(schedules, [
    { title: "SCHEDULE", cell: ({ name }) => name, flexible: true },
    { title: "KIND", cell: ({ kind }) => kind, flexible: true },
    { title: "LAST SLOT", cell: ({ lastSlot }) => lastSlot },
  ], page.columns);
}
