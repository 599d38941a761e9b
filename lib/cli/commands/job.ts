/**
 * `hookwork job`: one job with where it came from.
 * @module
 */
import { RefusedError } from "../../base/errors.ts";
import type { Queries } from "../../db/db.ts";
import { listEffectsOfJob } from "../../db/effects_view.ts";
import { getEvent } from "../../db/events.ts";
import { getJob, type JobView, listJobsOfEvent } from "../../db/jobs_view.ts";
import { getBodyRemovedAt } from "../../db/retention.ts";
import {
  type FailingLane,
  getFailingLane,
  getTurnHolder,
  type TurnHolder,
} from "../../db/waiting.ts";
import { type EffectDocument, effectDocument, renderEffect } from "../effect_view.ts";
import { type EventDocument, eventDocument, renderEvent } from "../event_view.ts";
import { type JobDocument, jobDocument, renderJob } from "../job_view.ts";
import { laneOfKind } from "../kinds.ts";
import type { Page } from "../output.ts";

/** What keeps a pending job from being claimed, besides its time and a free slot. */
export interface Waiting {
  readonly turn: TurnHolder | null;
  readonly lane: FailingLane | null;
}

/** A job, what it waits for, what it created outside, the event from which it grew, and the other jobs of that event. */
export interface JobChain {
  readonly job: JobDocument;
  readonly waitsFor: Waiting;
  readonly effects: readonly EffectDocument[];
  readonly event: EventDocument | null;
  readonly siblings: readonly JobDocument[];
}

/** Follows a job to its event. Throws RefusedError when there is no such job. */
export async function job(db: Queries, id: string): Promise<JobChain> {
  const found = await getJob(db, id);
  if (!found) throw new RefusedError(`Cannot show job ${id}: there is no such job`);
  const { eventId } = found;
  const event = eventId === null ? undefined : await getEvent(db, eventId);
  const removedAt = event === undefined ? null : await getBodyRemovedAt(db, event.id);
  const siblings = eventId === null ? [] : await listJobsOfEvent(db, eventId);
  return {
    job: jobDocument(found),
    waitsFor: await waiting(db, found),
    effects: (await listEffectsOfJob(db, id)).map(effectDocument),
    event: event === undefined ? null : eventDocument(event, removedAt),
    siblings: siblings.filter((sibling) => sibling.id !== id).map(jobDocument),
  };
}

async function waiting(db: Queries, { id, kind, status }: JobView): Promise<Waiting> {
  if (status !== "pending") return { turn: null, lane: null };
  const lane = laneOfKind(kind);
  return {
    turn: await getTurnHolder(db, id) ?? null,
    lane: lane === undefined ? null : await getFailingLane(db, lane) ?? null,
  };
}

/** The job first: it is what was asked for. */
export function renderJobChain(chain: JobChain, page: Page): string {
  const { job, effects, event, siblings } = chain;
  return [
    [renderJob(job, page), ...renderWaiting(chain.waitsFor, page)].join("\n"),
    ...effects.map((effect) => renderEffect(effect, page)),
    event === null ? "It grew from no event." : `Its event:\n\n${renderEvent(event, page)}`,
    ...(siblings.length === 0 ? [] : ["Other jobs of this event:"]),
    ...siblings.map((sibling) => renderJob(sibling, page)),
  ].join("\n\n");
}

function renderWaiting({ turn, lane }: Waiting, page: Page): string[] {
  const lines: string[] = [];
  if (turn) {
    const next = turn.status === "pending" ? `, due ${page.time(turn.runAt)}` : "";
    lines.push(
      `It waits for job ${turn.id} (${turn.kind}, ${turn.status}${next}), which has the turn of its entity.`,
    );
  }
  if (lane) {
    lines.push(
      `It waits for the lane ${lane.name}, paused since ${page.time(lane.since)}: ${lane.reason}`,
    );
  }
  return lines;
}
