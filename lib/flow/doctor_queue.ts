/**
 * The doctor's judgement of the work: is it taken up, done, told of, and taken away.
 * @module
 */
import { formatSeconds } from "../base/span.ts";
import type { OpenGaps } from "../db/gaps.ts";
import type { DueKind, ExpiredLeases } from "../db/health.ts";
import type { Sessions } from "../db/server.ts";
import { type Finding, judging, type Limits } from "./finding.ts";
import { UNROUTED_HOURS, type Vitals } from "./vitals.ts";

const LONG_DUE_SECONDS = 60;

/** Whether due jobs are taken up. */
export function judgeOldestDue(seconds: number, limits: Limits): Finding {
  const judged = judging("oldest due job");
  const minutes = Math.floor(seconds / 60);
  if (seconds < LONG_DUE_SECONDS) return judged.ok("No job has been due for more than a minute");
  const detail = `The oldest due job has been waiting for ${minutes} minutes`;
  const remedy = "start a worker, or more of them; `hookwork status` shows what waits";
  return minutes >= limits.OLDEST_DUE_ALERT_MINUTES
    ? judged.bad(detail, remedy)
    : judged.look(detail, remedy);
}

/** During a deploy the older version does not know the newer one's kinds: that is over in minutes. */
export function judgeStrangers(strangers: readonly DueKind[], limits: Limits): Finding {
  const judged = judging("kinds");
  if (strangers.length === 0) return judged.ok("Every due job has a handler in this version");
  const kinds = strangers.map(({ kind, count }) => `${count} of ${kind}`).join(", ");
  const detail = `Due jobs have no handler in this version: ${kinds}`;
  const remedy = "run a worker of the version that has it, or bring the handler back";
  const oldestMinutes = Math.max(...strangers.map(({ oldestSeconds }) => oldestSeconds)) / 60;
  return oldestMinutes >= limits.OLDEST_DUE_ALERT_MINUTES
    ? judged.bad(detail, remedy)
    : judged.look(detail, remedy);
}

/** Sweeps come every 5 s: a lease that is over for longer has nobody to take its job back. */
const SWEPT_SECONDS = 30;

/** Whether jobs of dead workers are taken back. */
export function judgeLeases({ count, oldestSeconds }: ExpiredLeases): Finding {
  const judged = judging("leases");
  if (oldestSeconds < SWEPT_SECONDS) return judged.ok("No lease is over without being noticed");
  return judged.bad(
    `${count} lease(s) are over and no worker takes the jobs back, ` +
      `the oldest for ${formatSeconds(oldestSeconds)}`,
    "start a worker: each takes back what others have lost",
  );
}

/** Beyond its deadline a run is stopped and settled within seconds. */
const LATE_SECONDS = 60;

/** Whether a run has outlived its deadline without being settled. */
export function judgeRun(run: Vitals["run"]): Finding {
  const judged = judging("longest run");
  if (!run) return judged.ok("No job is running");
  const { id, kind, lockedBy, seconds, deadlineSeconds } = run;
  const detail = `Job ${id} (${kind}) has been running for ${formatSeconds(seconds)}; ` +
    `its deadline is ${formatSeconds(deadlineSeconds)}`;
  if (seconds < deadlineSeconds + LATE_SECONDS) return judged.ok(detail);
  return judged.look(detail, `see the log of ${lockedBy}; stop that worker if it stands still`);
}

/** Whether workers are there and hear of new jobs. */
export function judgeWorkers({ workers, listening, hidden }: Sessions, limits: Limits): Finding {
  const judged = judging("workers");
  if (limits.DB_POOLER) {
    return judged.ok("Workers poll each second, since DB_POOLER keeps notifications from them");
  }
  if (workers === 0) return judged.bad("No worker is connected: no job is done", "start a worker");
  if (listening > 0) return judged.ok("Workers are connected and hear of new jobs at once");
  if (hidden > 0) return judged.ok("Workers are connected; whether they listen cannot be seen");
  return judged.look(
    "No worker listens: each job waits for the next poll, about a second",
    "set DB_POOLER=true behind a pooler; else see the workers' log for why they cannot listen",
  );
}

/** Whether a human is told. */
export function judgeAlerts(problems: readonly string[]): Finding[] {
  const judged = judging("alerts");
  if (problems.length === 0) return [judged.ok("Alerts arrive")];
  return problems.map((why) =>
    judged.bad(
      `Alerts do not arrive: ${why}`,
      "mend the bot's token or chat; `hookwork check` tries them",
    )
  );
}

/** Whether events wait for a replay. */
export function judgeUnrouted(count: number): Finding {
  const judged = judging("events");
  if (count === 0) return judged.ok(`Every event of the last ${UNROUTED_HOURS} hours was routed`);
  return judged.look(
    `${count} event(s) of the last ${UNROUTED_HOURS} hours could not be routed and have no job`,
    "`hookwork events --errors` lists them; mend the source, then `hookwork replay <id>`",
  );
}

/** Whether deliveries may have been lost, one finding for each source of which nobody has found out yet. */
export function judgeGaps(gaps: readonly OpenGaps[]): Finding[] {
  const judged = judging("gaps");
  if (gaps.length === 0) return [judged.ok("No delivery is known to be missing")];
  return gaps.map(({ source, count, lasting, seconds, ageSeconds, reason }) => {
    const age = formatSeconds(ageSeconds);
    if (lasting) {
      return judged.bad(
        `Deliveries of ${source} have not come for ${age}: ${reason}`,
        "mend what it names; what was lost meanwhile is asked for once it has ended: `hookwork gaps`",
      );
    }
    return judged.look(
      `Deliveries of ${source} may have been lost: ${count} gap(s) of ${formatSeconds(seconds)} ` +
        `are open, the oldest for ${age}: ${reason}`,
      "reconciliation closes them by itself where a source has one; else ask the sender what it sent, " +
        "and note that by `hookwork gap <id> --result <text>`; `hookwork gaps` lists them",
    );
  });
}

const DAY_SECONDS = 86_400;

/** Rounds come every few minutes; the first one over a large table may take hours. */
export function judgeRetention(seconds: number): Finding {
  const judged = judging("retention");
  const detail = `Old rows were last cleaned up to the end ${formatSeconds(seconds)} ago`;
  if (seconds < DAY_SECONDS) return judged.ok(detail);
  return judged.look(detail, "start a worker; see its log for why retention fails");
}
