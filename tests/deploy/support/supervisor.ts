/** Stands in for systemd where it does not run: starts, restarts and stops what our own unit files say. */

import { parseEnvironmentFile } from "../../../lib/base/environment_file.ts";
import { sleep } from "../../../lib/base/repeat.ts";
import { startProcess, type TestProcess } from "../../support/process.ts";
import { until } from "../../support/until.ts";
import { readUnit, type Unit } from "./unit_file.ts";

/** Where a server has the programs. */
const PROGRAMS = "/opt/hookwork/current/";
const SETTINGS = "/etc/hookwork/hookwork.env";

/** What stands where a server has it, and how fast the time between restarts goes by. */
export interface Machine {
  /** The folder of the programs. */
  readonly programs: string;
  /** The file of settings. */
  readonly settings: string;
  /** 20 makes five seconds a quarter of one; 1 when absent. */
  readonly speed?: number;
}

/** A unit that was started; stopped when the test leaves its scope. */
export interface Supervised extends AsyncDisposable {
  readonly unit: Unit;
  /** Of the process that runs now, or ran last. */
  readonly pid: number;
  /** How often it was started. */
  readonly starts: number;
  /** What all of its processes wrote. */
  lines(): string[];
  /** Its first process has ended. */
  readonly tried: Promise<void>;
  /** It is not started again, of itself or by a stop; gives its last exit code. */
  readonly over: Promise<number>;
  /** Gives the exit code; 137 when it had to be killed. */
  stop(): Promise<number>;
}

/** Starts units one after the other, as at boot: each waits until the oneshot units that it comes after were tried. */
export async function boot(machine: Machine, names: readonly string[]): Promise<Supervised[]> {
  await using stack = new AsyncDisposableStack();
  const started = new Map<string, Supervised>();
  for (const unit of await Promise.all(names.map(readUnit))) {
    for (const name of unit.after.filter((name) => names.includes(name))) {
      const before = started.get(name);
      if (!before) throw new Error(`Cannot start ${unit.name}: name ${name} before it`);
      if (before.unit.type === "oneshot") await before.tried;
    }
    started.set(unit.name, stack.use(await supervise(machine, unit)));
  }
  stack.move();
  return [...started.values()];
}

/** Starts a unit and keeps it up, as its file says. */
export async function supervise(machine: Machine, unit: Unit): Promise<Supervised> {
  const stopping = new AbortController();
  const processes: TestProcess[] = [];
  const start = async () => {
    const process = await startProcess(await processOf(machine, unit));
    processes.push(process);
    return await endOf(process, unit, stopping.signal);
  };
  const tried = Promise.withResolvers<void>();
  const keepUp = async (): Promise<number> => {
    for (;;) {
      const code = await start();
      tried.resolve();
      if (stopping.signal.aborted || !isRestarted(unit, code)) return code;
      await sleep(1000 * unit.restartSeconds / (machine.speed ?? 1), stopping.signal);
      if (stopping.signal.aborted) return code;
    }
  };
  const over = keepUp();
  await until(`${unit.name} is started`, () => processes.length > 0);
  const stop = () => {
    stopping.abort();
    return over;
  };
  return {
    unit,
    get pid() {
      return processes.at(-1)!.pid;
    },
    get starts() {
      return processes.length;
    },
    lines: () => processes.flatMap(({ lines }) => lines),
    tried: tried.promise,
    over,
    stop,
    [Symbol.asyncDispose]: async () => void await stop(),
  };
}

/** What a service is started with: its own words, and of the environment what systemd would give it. */
async function processOf({ programs, settings }: Machine, unit: Unit) {
  const files = await Promise.all(unit.environmentFiles.map(async (path) => {
    if (path !== SETTINGS) throw new Error(`Cannot start ${unit.name}: no file stands for ${path}`);
    return parseEnvironmentFile(await Deno.readTextFile(settings), path);
  }));
  const [command, ...args] = unit.execStart.map((word) => word.replace(PROGRAMS, `${programs}/`));
  const env = Object.assign({}, unit.environment, ...files);
  return { name: unit.name, command, args, env };
}

/** Waits for the end of a process, and brings it about once the unit is to stop. */
async function endOf(process: TestProcess, unit: Unit, stopping: AbortSignal): Promise<number> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const end = () => {
    process.kill(unit.killSignal);
    timer = setTimeout(() => process.kill("SIGKILL"), 1000 * unit.stopSeconds);
  };
  stopping.addEventListener("abort", end);
  if (stopping.aborted) end();
  const code = await process.exit;
  stopping.removeEventListener("abort", end);
  clearTimeout(timer);
  return code;
}

/** Whether a service that ended by itself with this code is started again: see Restart= in systemd.service(5). */
function isRestarted({ restart, restartPreventExitStatus }: Unit, code: number): boolean {
  if (restart === "no" || restartPreventExitStatus.includes(code)) return false;
  return restart === "always" || code !== 0;
}
