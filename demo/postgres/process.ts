/** One run of the `postgres` program, which ends when its owner ends, however that happens. */

import postgres from "postgres";
import type { User } from "./home.ts";

/** What a run needs to know. */
export interface RunOptions {
  binaries: string;
  dir: string;
  port: number;
  url: string;
  user: User;
  durable: boolean;
}

/** How to end a run: `fast` writes everything down, `immediate` leaves that to the next start. */
export type StopMode = "fast" | "immediate";

/** A run in progress. */
export interface Run {
  /** Does nothing if Postgres has ended already. */
  stop(mode: StopMode | "kill"): Promise<void>;
}

/** Without the caller's variables, of which Postgres reads several. */
export const QUIET = {
  clearEnv: true,
  env: { LC_ALL: "C", PATH: "/usr/local/bin:/usr/bin:/bin" },
};

const SIGNALS = { fast: "SIGINT", immediate: "SIGQUIT", kill: "SIGKILL" } as const;

// The shell holds a pipe of ours: when we die, even by SIGKILL, the pipe closes and Postgres stops.
// It is also Postgres' parent, so the process id it stops cannot belong to anyone else by then.
const GUARD = `
  exec 3<&0
  "$@" </dev/null >>server.log 2>&1 3<&- & postgres=$!
  { read -r _; kill -INT $postgres; } <&3 & guard=$!
  wait $postgres
  kill $guard`;

/** Starts Postgres in a prepared folder and waits until it answers. */
export async function runPostgres(options: RunOptions): Promise<Run> {
  const guard = spawnGuarded(options);
  const run = { over: false, exited: guard.status.then(() => void (run.over = true)) };
  try {
    await untilItAnswers(options, run);
  } catch (error) {
    await guard.stdin.close();
    await run.exited;
    throw error;
  }
  return { stop: (mode) => stopRun(mode, options.dir, guard, run) };
}

/** What `postmaster.pid` says, if the file is there. */
export async function readPidFile(dir: string): Promise<{ pid: number; port: number } | undefined> {
  const text = await Deno.readTextFile(pidFile(dir)).catch(() => "");
  const [pid, , , port] = text.split("\n").map(Number);
  return pid ? { pid, port: port || 0 } : undefined;
}

/** Where Postgres notes that it runs. */
export function pidFile(dir: string): string {
  return `${dir}/data/postmaster.pid`;
}

interface Progress {
  over: boolean;
  exited: Promise<void>;
}

function spawnGuarded({ binaries, dir, port, user, durable }: RunOptions): Deno.ChildProcess {
  const settings = {
    listen_addresses: "127.0.0.1",
    unix_socket_directories: "",
    port,
    max_connections: 200,
    timezone: "UTC",
    log_timezone: "UTC",
    // Commits still wait for the write, so that a killed Postgres loses nothing but to a power cut.
    ...durable ? {} : { fsync: "off", full_page_writes: "off" },
  };
  const flags = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  return new Deno.Command("/bin/sh", {
    args: ["-c", GUARD, "sh", `${binaries}/bin/postgres`, "-D", `${dir}/data`, ...flags],
    cwd: dir,
    stdin: "piped",
    stdout: "null",
    stderr: "null",
    // Its own session: Ctrl-C in a terminal is meant for us, who may still need the database.
    detached: true,
    ...QUIET,
    ...user,
  }).spawn();
}

async function untilItAnswers({ url, dir }: RunOptions, run: Progress): Promise<void> {
  const deadline = Date.now() + 30_000;
  while (!await answers(url)) {
    if (run.over || Date.now() > deadline) {
      throw new Error(`Postgres did not start in ${dir}:\n${await endOfLog(dir)}`);
    }
    await new Promise((wake) => setTimeout(wake, 20));
  }
}

async function answers(url: string): Promise<boolean> {
  const sql = postgres(url, { max: 1, fetch_types: false, connect_timeout: 5 });
  const answered = await sql`select 1`.then(() => true, () => false);
  await sql.end();
  return answered;
}

async function endOfLog(dir: string): Promise<string> {
  const text = await Deno.readTextFile(`${dir}/server.log`).catch(() => "(it wrote no log)");
  return text.trimEnd().split("\n").slice(-10).join("\n");
}

async function stopRun(
  mode: StopMode | "kill",
  dir: string,
  guard: Deno.ChildProcess,
  run: Progress,
): Promise<void> {
  const noted = await readPidFile(dir);
  if (!run.over && noted) Deno.kill(noted.pid, SIGNALS[mode]);
  await run.exited;
  if (!guard.stdin.locked) await guard.stdin.close().catch(() => {});
}
