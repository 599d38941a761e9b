/**
 * `hookwork amocrm reconcile`: asks amoCRM what happened in a time, and makes the jobs of what no webhook has told.
 * @module
 */
import type { App } from "../../app.ts";
import { contractRuleSettings, ruleOf } from "../../base/amocrm_tasks.ts";
import { settingsOf } from "../../base/config.ts";
import { RefusedError } from "../../base/errors.ts";
import { listDocumentsOfLead } from "../../contracts/documents.ts";
import { closeGapsWithin } from "../../db/gaps.ts";
import { enqueue, getNewestJobTime } from "../../db/jobs.ts";
import { type Missed, reconcile as steps, SETTLE_SECONDS } from "../../outside/amocrm/reconcile.ts";
import { openAmocrm } from "../amocrm.ts";
import { ExitCode } from "../failure.ts";
import type { Host } from "../host.ts";
import type { Page } from "../output.ts";
import { renderTable } from "../table.ts";

const PROGRESS_MS = 1000;
const SOURCE = "amocrm";

/** Which time; the end is not taken for part of a gap that lasts. */
export interface Time {
  readonly from: Date;
  readonly to: Date;
}

/** What a reconciliation came to. */
export interface Reconciled {
  readonly entries: number;
  readonly deals: number;
  readonly missed: readonly Missed[];
  /** Noted gaps that lie within the time, have settled, and are closed now. */
  readonly closedGaps: number;
  /** The command that does it anew; null when it came to the end. */
  readonly next: string | null;
}

/** Looks at journal and deals, and says how far it is. Ctrl-C stops it between two of them; what was found stays made. */
export async function reconcile(app: App, host: Host, { from, to }: Time): Promise<Reconciled> {
  if (from >= to) throw new RefusedError("Cannot reconcile: --from is not before --to; swap them");
  return await host.interruptible((signal) => reconcileAll(app, host, { from, to, signal }));
}

async function reconcileAll(
  app: App,
  host: Host,
  { signal, ...span }: Time & { signal: AbortSignal },
): Promise<Reconciled> {
  const { db } = app;
  // A call under way is answered: Ctrl-C ends the steps, not the call.
  const amocrm = openAmocrm(app, new AbortController().signal);
  const rule = ruleOf(settingsOf(app.config, contractRuleSettings));
  const desk = {
    newestJob: (collapse: string) => getNewestJobTime(db, collapse),
    hasContract: async (lead: string) => (await listDocumentsOfLead(db.sql, lead)).length > 0,
    enqueue: (job: Parameters<typeof enqueue>[1]) => enqueue(db, job),
  };
  const total = { entries: 0, deals: 0, missed: [] as Missed[] };
  const report = () =>
    `${total.entries} journal entries and ${total.deals} deals looked at, ${total.missed.length} missed`;
  let toldMs = performance.now();
  for await (
    const { looked, missed } of steps(amocrm, desk, rule, { span, deals: true, now: host.now() })
  ) {
    looked === "entry" ? total.entries++ : total.deals++;
    if (missed) total.missed.push(missed);
    if (signal.aborted) return { ...total, closedGaps: 0, next: nextCommand(span) };
    if (performance.now() - toldMs < PROGRESS_MS) continue;
    toldMs = performance.now();
    host.writeError(`${report()}\n`);
  }
  const result = `${total.missed.length} deal(s) had been missed`;
  const settled = new Date(
    Math.min(span.to.getTime(), host.now().getTime() - SETTLE_SECONDS * 1000),
  );
  const closedGaps = await closeGapsWithin(db, SOURCE, { from: span.from, to: settled, result });
  return { ...total, closedGaps, next: null };
}

/** Instants instead of spans: `2h` means something else by then. */
function nextCommand({ from, to }: Time): string {
  return `hookwork amocrm reconcile --from ${from.toISOString()} --to ${to.toISOString()}`;
}

/** What the webhooks missed, and how much was looked at. */
export function renderReconciled(
  { entries, deals, missed, closedGaps, next }: Reconciled,
  page: Page,
): string {
  const table = renderTable(missed, [
    { title: "DEAL", cell: ({ lead }) => lead },
    { title: "CHANGED", cell: ({ at }) => page.time(at) },
    { title: "WHAT", cell: ({ how }) => how },
    { title: "JOB", cell: ({ job }) => job },
  ], page.columns);
  return [
    ...(missed.length === 0 ? [] : [table, ""]),
    `${entries} journal entries and ${deals} deals looked at: the webhooks missed ${missed.length} deal(s).`,
    ...(closedGaps === 0 ? [] : [`${closedGaps} gap(s) closed.`]),
    ...(next === null ? [] : [`Interrupted. Begin anew with:  ${next}`]),
  ].join("\n");
}

/** It is a failure not to have come to the end. */
export function reconciledExitCode({ next }: Reconciled): ExitCode {
  return next === null ? ExitCode.done : ExitCode.failed;
}
