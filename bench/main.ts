/**
 * The bench: Hookwork beside its peers, on one Postgres and in one run.
 * @module
 */
import { parseArgs } from "node:util";
import type { Bench } from "./bench.ts";
import { benchGrowth } from "./growth.ts";
import { benchIntake } from "./intake.ts";
import { benchLatency } from "./latency.ts";
import { benchMemory } from "./memory.ts";
import { describeMachine } from "./machine.ts";
import { installPeers } from "./peers.ts";
import { createLauncher } from "./programs.ts";
import { benchQueue } from "./queue.ts";
import { createReport } from "./report.ts";
import { openServer } from "./server.ts";

const BENCHES: Record<string, (bench: Bench) => Promise<void>> = {
  queue: benchQueue,
  intake: benchIntake,
  latency: benchLatency,
  growth: benchGrowth,
  memory: benchMemory,
};

const USAGE = `deno task bench [${Object.keys(BENCHES).join("|")}]... [options]

  --json          one line of JSON for each measurement
  --rounds <n>    how often everything is measured; the medians count (5)
  --scale <x>     all sizes times this: 0.01 only shows that the bench works (1)
  --no-peers      measures Hookwork alone

BENCH_DATABASE_URL names a Postgres to measure on, in the place of one of its own.`;

/** EX_USAGE of sysexits.h is for others: the project's commands exit with 2. */
const EXIT_USAGE = 2;

const { values: flags, positionals } = readArguments(Deno.args);
const names = positionals.length === 0 ? Object.keys(BENCHES) : positionals;
const rounds = Number(flags.rounds);
const scale = Number(flags.scale);
if (!names.every((name) => name in BENCHES) || !(rounds >= 1) || !(scale > 0)) usage();

const report = createReport({ json: flags.json });
const environment = Deno.env.toObject();
const peers = flags["no-peers"] ? undefined : await installPeers(report.note);
await using server = await openServer({
  given: environment.BENCH_DATABASE_URL,
  log: report.note,
});
report.note(describeMachine(await server.settings(), peers !== undefined));
const bench: Bench = {
  server,
  launcher: createLauncher(environment),
  peers,
  report,
  rounds,
  scaled: (count) => Math.max(1, Math.round(count * scale)),
  scaledSeconds: (seconds) => Math.max(0.5, seconds * scale),
};
for (const name of names) await BENCHES[name]!(bench);

function readArguments(args: string[]) {
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: {
        json: { type: "boolean", default: false },
        rounds: { type: "string", default: "5" },
        scale: { type: "string", default: "1" },
        "no-peers": { type: "boolean", default: false },
      },
    });
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return usage();
  }
}

function usage(): never {
  // deno-lint-ignore no-console -- the terminal is where this speaks
  console.error(USAGE);
  Deno.exit(EXIT_USAGE);
}
