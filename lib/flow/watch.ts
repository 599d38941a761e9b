/**
 * Watches over what does not come: while no receiver is there, and when a sender that normally speaks is silent.
 * @module
 */
import type { App } from "../app.ts";
import type { Gaps } from "../contract.ts";
import { formatSeconds } from "../base/span.ts";
import { raiseAlert } from "../db/alerts.ts";
import { beat, beginGap, closeGap, endGap, getSilenceSeconds, listDueGaps } from "../db/gaps.ts";
import type { Queries } from "../db/db.ts";

/** Four ticks. A shorter absence is a restart, and what came meanwhile is sent again: by amoCRM after five minutes. */
const GRACE_SECONDS = 120;
const QUIET_MINUTES = 6 * 60;

/** Says that this receiver is there; where none was for a while, that time is noted as a gap of each source. */
export async function beatForSources({ db, registry, log }: Pick<App, "db" | "registry" | "log">) {
  const reason = "no receiver was there, or it could not store";
  const sources = [...registry.sources.keys()];
  const missed = await beat(db, sources, { graceSeconds: GRACE_SECONDS, reason });
  if (missed.length > 0) {
    log.warn("deliveries may have been lost: no receiver was there", {
      sources: missed.join(", "),
    });
  }
}

/** Asks for an alert for each source of EXPECT_EVENTS that has been silent for longer than is normal. */
export async function watchSilence({ db, config }: Pick<App, "db" | "config">): Promise<void> {
  for (const { source, hours } of config.EXPECT_EVENTS) {
    const seconds = await getSilenceSeconds(db, source);
    if (seconds === undefined || seconds < hours * 3600) continue;
    const text = `Source ${source} has been silent for ${formatSeconds(seconds)}: ` +
      `at least one event in ${hours} h is expected. Look whether it still sends to this receiver\n` +
      `hookwork events --source ${source}`;
    await raiseAlert(db, { topic: `source ${source} silent`, text, quietMinutes: QUIET_MINUTES });
  }
}

/** The gaps as jobs use them. */
export function createGaps(db: Queries): Gaps {
  return {
    due: (source, { settleSeconds }) => listDueGaps(db, source, settleSeconds),
    close: (gap, result) => closeGap(db, gap, result),
    begin: (source, reason) => beginGap(db, source, reason),
    end: (source) => endGap(db, source),
  };
}
