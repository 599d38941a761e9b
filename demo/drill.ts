/**
 * The failure drill: from outside, over HTTP, everything that goes wrong in real life, on purpose.
 * @module
 */
import { describeError } from "../lib/base/errors.ts";
import { forgedForm, repeatedForm, signedForm, unroutableForm } from "./drill/intake.ts";
import { interruptedDatabase, killedWorker, missedSchedule } from "./drill/recovery.ts";
import type { Step } from "./drill/step.ts";
import {
  lostAnswer,
  obeysRetryAfter,
  permanentError,
  retriedAfter502,
  retriedByHand,
} from "./drill/telegram.ts";
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
  ],
  [[killedWorker]],
  [[missedSchedule]],
  [[interruptedDatabase]],
];

/** How a drill ended. */
export interface DrillResult {
  readonly passed: number;
  readonly failed: number;
}

/** Runs the drill and prints each step as it ends. Steps that have not passed when `stop` is aborted have failed. */
export async function runDrill(
  system: System,
  print: (line: string) => void,
  stop: AbortSignal,
): Promise<DrillResult> {
  let passed = 0;
  const runStep = async (step: Step) => {
    if (stop.aborted) return;
    try {
      const seen = await step.run(system);
      if (stop.aborted) return;
      passed++;
      print(`✓ ${step.expected}\n    ${seen}`);
    } catch (error) {
      if (!stop.aborted) print(`✗ ${step.expected}\n    ${describeError(error)}`);
    }
  };
  const runRow = async (row: readonly Step[]) => {
    for (const step of row) await runStep(step);
  };
  const runAll = async () => {
    for (const act of ACTS) await Promise.all(act.map(runRow));
  };
  await Promise.race([runAll(), aborted(stop)]);
  return { passed, failed: ACTS.flat(2).length - passed };
}
