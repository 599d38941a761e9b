/**
 * The failure drill: from outside, over HTTP, everything that goes wrong in real life, on purpose.
 * @module
 */
import { describeError } from "../lib/base/errors.ts";
import { absentReceiver } from "./drill/absence.ts";
import { afterTheKill, killedAmidContracts } from "./drill/contract_kills.ts";
import { draggedDeal } from "./drill/contracts.ts";
import { forgedForm, repeatedForm, signedForm, unroutableForm } from "./drill/intake.ts";
import { interruptedDatabase } from "./drill/outage.ts";
import type { Step } from "./drill/step.ts";
import {
  lostAnswer,
  obeysRetryAfter,
  permanentError,
  retriedAfter502,
  retriedByHand,
} from "./drill/telegram.ts";
import { killedWorker, missedSchedule } from "./drill/workers.ts";
import { aborted } from "./stop.ts";
import type { System } from "./system.ts";

/** Acts follow each other. The rows of one act go on at the same time, since most of them wait; the steps of a row follow each other. */
const ACTS: readonly (readonly (readonly Step[])[])[] = [
  [
    [signedForm, repeatedForm, forgedForm, unroutableForm],
    [retriedAfter502],
    [obeysRetryAfter],
    [lostAnswer],
    [permanentError, retriedByHand],
    [draggedDeal],
  ],
  [[killedWorker]],
  [[killedAmidContracts]],
  afterTheKill.map((step) => [step]),
  [[absentReceiver]],
  [[missedSchedule]],
  [[interruptedDatabase]],
];

/** How a drill ended. */
export interface DrillResult {
  readonly passed: number;
  readonly failed: number;
}

/** Runs the drill and prints each step as it ends. A step that has not ended when `stop` is aborted has failed. */
export async function runDrill(
  system: System,
  print: (line: string) => void,
  stop: AbortSignal,
): Promise<DrillResult> {
  const left = new Set(ACTS.flat(2));
  let passed = 0;
  const end = (step: Step, mark: string, seen: string) => {
    if (left.delete(step)) print(`${mark} ${step.expected}\n    ${seen}`);
  };
  const runRow = async (row: readonly Step[]) => {
    for (const step of row) {
      if (stop.aborted) return;
      try {
        end(step, "✓", await step.run(system));
        passed++;
      } catch (error) {
        end(step, "✗", describeError(error));
      }
    }
  };
  const runAll = async () => {
    for (const act of ACTS) await Promise.all(act.map(runRow));
  };
  await Promise.race([runAll(), aborted(stop)]);
  for (const step of left) end(step, "✗", "not reached, or not over in time");
  return { passed, failed: ACTS.flat(2).length - passed };
}
