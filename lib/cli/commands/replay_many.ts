/**
 * `hookwork replay --source --from`: the stored bytes of many events are routed again, in their order.
 * @module
 */
import type { App } from "../../app.ts";
import { RefusedError } from "../../base/errors.ts";
import { nameHint } from "../../base/nearest.ts";
import { type EventSpan, listEventIds } from "../../db/events_bulk.ts";
import { replayMany as steps } from "../../flow/operate_many.ts";
import { ExitCode } from "../failure.ts";
import type { Host } from "../host.ts";
import type { Agree } from "../many.ts";
import { contact } from "../open.ts";

const PROGRESS_MS = 1000;

/** Which events are replayed, and how. */
export interface ReplayManyOptions extends EventSpan {
  readonly again?: boolean;
  readonly rate: number;
}

/** What a replay of many came to. */
export interface ReplayedMany {
  readonly events: number;
  readonly made: number;
  /** Jobs that were not made, since their keys are taken. */
  readonly taken: number;
  readonly skipped: readonly { readonly event: string; readonly why: string }[];
  /** The command that goes on where this one stopped; null when it came to the end. */
  readonly next: string | null;
}

/** Replays the events of a source that were received in a span of time. Asks before, and says how far it is. */
export async function replayMany(
  app: App,
  host: Host,
  options: ReplayManyOptions,
  agree: Agree,
): Promise<ReplayedMany> {
  const ids = await chooseEvents(app, options);
  if (ids.length > 0) agree(`${ids.length} event(s) of ${options.source} will be routed again.`);
  return await host.interruptible((signal) => replayAll(app, host, { ...options, ids, signal }));
}

interface Replay extends ReplayManyOptions {
  readonly ids: readonly string[];
  readonly signal: AbortSignal;
}

async function replayAll(app: App, host: Host, replay: Replay): Promise<ReplayedMany> {
  const { ids, again = false, rate: perSecond, signal } = replay;
  const total = { events: 0, made: 0, taken: 0, skipped: [] as { event: string; why: string }[] };
  const next = () => nextCommand(replay, ids[total.events - 1] ?? replay.after);
  let toldMs = performance.now();
  try {
    for await (const step of steps(app, ids, { again, perSecond, signal })) {
      total.events++;
      if ("skipped" in step) total.skipped.push({ event: step.event, why: step.skipped });
      else {
        const made = step.jobs.filter(({ id }) => id !== null).length;
        total.made += made;
        total.taken += step.jobs.length - made;
      }
      if (performance.now() - toldMs < PROGRESS_MS) continue;
      toldMs = performance.now();
      host.writeError(`Event ${step.event}: ${total.events} of ${ids.length}\n`);
    }
  } catch (error) {
    const at = ids[total.events]!;
    host.writeError(
      `Stopped at event ${at}; whether its jobs were made is not certain: hookwork event ${at}\n` +
        `If they were not, go on with:  ${next()}\n`,
    );
    throw error;
  }
  return { ...total, next: total.events < ids.length ? next() : null };
}

/** Instants instead of spans: `2h` means something else by then. */
function nextCommand({ source, from, to, again, rate }: Replay, after: string | undefined): string {
  return [
    `hookwork replay --source ${source} --from ${from.toISOString()} --to ${to.toISOString()}`,
    ...(after === undefined ? [] : [`--after ${after}`]),
    ...(again ? ["--again"] : []),
    `--rate ${rate}`,
  ].join(" ");
}

/** The ids of the events. Throws RefusedError for a source that there is not: its events could not be routed. */
export async function chooseEvents(app: App, span: EventSpan): Promise<string[]> {
  const { sources } = app.registry;
  if (!sources.has(span.source)) {
    const hint = nameHint(span.source, [...sources.keys()], "sources");
    throw new RefusedError(`Cannot replay events of "${span.source}": no such source; ${hint}`);
  }
  await contact(app.db);
  return await listEventIds(app.db, span);
}

/** How many, what was left out, and how to go on. */
export function renderReplayedMany(replayed: ReplayedMany): string {
  const { events, made, taken, skipped, next } = replayed;
  const refused = taken === 0 ? "" : `; ${taken} not made, their keys are taken`;
  return [
    `${events} event(s) replayed: ${made} job(s) made${refused}.`,
    ...skipped.map(({ why }) => `Skipped: ${why}`),
    ...(next === null ? [] : [`Interrupted. Go on with:  ${next}`]),
  ].join("\n");
}

/** It is a failure to have left anything out but what there is already. */
export function replayedManyExitCode({ skipped, next }: ReplayedMany): ExitCode {
  return skipped.length > 0 || next !== null ? ExitCode.failed : ExitCode.done;
}
