/**
 * What the bench says: one line for each measurement, and at the end how the goals stand.
 * @module
 */
// deno-lint-ignore-file no-console -- the terminal is where this speaks

/** One figure of one candidate. */
export interface Measurement {
  /** The subcommand. */
  readonly bench: string;
  /** What was done. */
  readonly what: string;
  /** By whom. */
  readonly who: string;
  readonly value: number;
  readonly unit: string;
  /** The figure of each round, when the value is their median. */
  readonly rounds?: readonly number[];
}

/** A figure that was aimed at; measured, never asserted. */
export interface Goal {
  readonly bench: string;
  readonly what: string;
  readonly value: number;
  readonly atLeast?: number;
  readonly below?: number;
}

/** Takes what was measured. */
export interface Report {
  add(measurement: Measurement): void;
  goal(goal: Goal): void;
  /** Says what is going on; not a result. */
  note(line: string): void;
}

/** A table for people, or a line of JSON for each measurement; notes go to standard error. */
export function createReport({ json }: { json: boolean }): Report {
  const print = (line: string, value: object) => console.log(json ? JSON.stringify(value) : line);
  return {
    add(measurement) {
      const { bench, what, who, value, unit, rounds } = measurement;
      const spread = rounds && rounds.length > 1 ? `  (${rounds.map(shown).join(" ")})` : "";
      const columns = `${bench.padEnd(8)}${what.padEnd(34)}${who.padEnd(40)}`;
      print(`${columns}${shown(value).padStart(9)} ${unit}${spread}`, measurement);
    },
    goal(goal) {
      const { bench, what, value, atLeast, below } = goal;
      const wanted = atLeast === undefined ? `below ${below}` : `at least ${atLeast}`;
      const met = atLeast === undefined ? value < below! : value >= atLeast;
      const line = `${bench.padEnd(8)}goal: ${what}: ${shown(value)}, wanted ${wanted}`;
      print(`${line}${met ? "" : "  MISSED"}`, { goal: true, ...goal, met });
    },
    note: (line) => console.error(line),
  };
}

/** Three figures are more than the noise leaves certain. */
function shown(value: number): string {
  if (Math.abs(value) >= 100) return `${Math.round(value)}`;
  return `${Number(value.toPrecision(3))}`;
}
