/**
 * Finds what the webhooks of amoCRM have not told: after a time without a receiver, and always a little later.
 * @module
 */
import { z } from "zod";
import { contractRuleSettings, ruleOf } from "../base/amocrm_tasks.ts";
import { formatSeconds } from "../base/span.ts";
import type { Gap, JobContext } from "../contract.ts";
import { listDocumentsOfLead } from "../contracts/documents.ts";
import { defineHandler } from "../define.ts";
import { amocrm } from "../outside/amocrm/amocrm.ts";
import { reconcile, SETTLE_SECONDS } from "../outside/amocrm/reconcile.ts";
import { LANE } from "../outside/amocrm/settings.ts";

/** A quarter of a million deals, 250 with each of six calls a second, take three minutes; other work shares the lane. */
const TIMEOUT_SECONDS = 3600;
const PROGRESS_MS = 30_000;

const clients = { amocrm };

/**
 * `amocrm.reconcile`: each gap of the source is asked for, then the time since the last run. A gap is closed when all of it
 * was looked at; a run that is cut off begins it again.
 */
export const amocrmReconcile = defineHandler({
  kind: "amocrm.reconcile",
  onlyWith: "AMOCRM_ACCOUNT",
  payload: z.object({ slot: z.string(), late: z.boolean() }),
  settings: contractRuleSettings,
  clients,
  lane: LANE,
  timeoutSeconds: TIMEOUT_SECONDS,
  async run(_, context) {
    const { gaps, shadow, log } = context;
    let missed = 0;
    const due = await gaps.due("amocrm", { settleSeconds: SETTLE_SECONDS });
    for (const gap of due) {
      const found = await reconcileGap(gap, context);
      missed += found;
      // In shadow its jobs may not have been made.
      if (!shadow) await gaps.close(gap, `${found} deal(s) had been missed`);
      if (gap.id !== null) log.info("a gap was reconciled", { gap: gap.id, missed: found });
    }
    return { result: `${due.length} time(s) reconciled: the webhooks missed ${missed} deal(s)` };
  },
});

type Context = JobContext<typeof clients, typeof contractRuleSettings>;

/** The deals are gone through only where a loss is known: that may take as many calls as the account has pages of deals. */
async function reconcileGap(gap: Gap, context: Context): Promise<number> {
  const { clients, sql, settings, signal, log } = context;
  const desk = {
    newestJob: (collapse: string) => context.newestJob(collapse),
    hasContract: async (lead: string) => (await listDocumentsOfLead(sql, lead)).length > 0,
    enqueue: (job: Parameters<Context["enqueue"]>[0]) => context.enqueue(job),
  };
  const search = { span: gap, deals: gap.id !== null, now: new Date() };
  let looked = 0;
  let found = 0;
  let toldMs = performance.now();
  for await (const { missed } of reconcile(clients.amocrm, desk, ruleOf(settings), search)) {
    signal.throwIfAborted();
    looked++;
    if (missed) {
      found++;
      log.warn("no webhook told of a deal", { deal: missed.lead, how: missed.how, at: missed.at });
    }
    if (performance.now() - toldMs < PROGRESS_MS) continue;
    toldMs = performance.now();
    const seconds = (gap.to.getTime() - gap.from.getTime()) / 1000;
    log.info("reconciling", { span: formatSeconds(seconds), looked, missed: found });
  }
  return found;
}
