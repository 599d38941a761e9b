/**
 * The doctor's judgement of what keeps due jobs waiting by intention: paused lanes, and jobs of one entity.
 * @module
 */
import { formatSeconds } from "../base/span.ts";
import type { HeldEntity } from "../db/entities.ts";
import type { LaneView } from "../db/lanes_view.ts";
import { type Finding, judging, type Limits } from "./finding.ts";

/** Whether outside services hold their jobs, one finding for each that does. What lies within a lane holds only its own. */
export function judgeLanes(lanes: readonly LaneView[], limits: Limits): Finding[] {
  const judged = judging("lanes");
  const shut = lanes.filter(({ since }) => since !== null);
  if (shut.length === 0) return [judged.ok("No lane is paused")];
  return shut.map(({ name, reason, sinceSeconds }) => {
    const detail = `The lane ${name} has been holding its jobs for ${
      formatSeconds(sinceSeconds)
    }: ${reason}`;
    const remedy = `mend what it names; then \`hookwork lane ${name} resume\` tries at once`;
    const long = sinceSeconds / 60 >= limits.OLDEST_DUE_ALERT_MINUTES && !name.includes(":");
    return long ? judged.bad(detail, remedy) : judged.look(detail, remedy);
  });
}

/** Whether jobs wait for one of their entity that fails again and again; waiting for one that runs is as it should be. */
export function judgeHeld(held: readonly HeldEntity[]): Finding {
  const judged = judging("held entities");
  const failing = held.filter(({ status }) => status === "pending");
  const [first] = failing;
  if (!first) return judged.ok("No job waits for a failing one of its entity");
  const { entity, followers, jobId, attempts } = first;
  return judged.look(
    `The jobs of ${failing.length} entities wait for one that fails, ` +
      `as ${followers} of ${entity} for job ${jobId} after ${attempts} attempts`,
    `see \`hookwork job ${jobId}\`; mend what it meets, or \`hookwork cancel ${jobId}\``,
  );
}
