/**
 * A program started by the demo: its lines can be read, and it never outlives its starter.
 * @module
 */
import { until } from "./until.ts";

/** What to start. */
export interface ProcessOptions {
  readonly name: string;
  /** The program and its arguments. */
  readonly command: readonly string[];
  /** Its whole environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Told of each line, from either stream. */
  onLine(line: string): void;
  /** What it says when it has ended but for its watcher, which only goes when it is killed. */
  readonly lastLine?: RegExp;
}

/** A program that runs, or did. Disposing of it stops it. */
export interface Process extends AsyncDisposable {
  readonly name: string;
  readonly pid: number;
  readonly lines: readonly string[];
  /** The exit code: 128 and the signal's number when a signal ended it. */
  readonly exit: Promise<number>;
  /** Waits for a line that matches; throws when the program ends without one, or says nothing for long. */
  said(pattern: RegExp): Promise<RegExpExecArray>;
  /** Asks it to end, and kills it when that takes longer than ten seconds. Gives its exit code. */
  stop(): Promise<number>;
  /** Ends it at once, as when the machine runs out of memory. */
  kill(): Promise<void>;
}

const ROOT = new URL("../", import.meta.url);
const GRACE_MS = 10_000;
const SHOWN_LINES = 20;

// The shell becomes the program, under the same process id. A reader stays beside it: our end of its pipe closes however we
// end, even by SIGKILL, and then it ends the program too; by force when it only goes to wait for changed files.
const TETHER = `
  exec 3<&0
  { read -r _ <&3 || { kill $$ && sleep 5 && kill -KILL $$; }; } >/dev/null 2>&1 &
  exec "$@" </dev/null 3<&-`;

/** Starts a program in the project's folder. */
export function start({ name, command, env, onLine, lastLine }: ProcessOptions): Process {
  const child = new Deno.Command("/bin/sh", {
    args: ["-c", TETHER, "sh", ...command],
    cwd: ROOT,
    clearEnv: true,
    env,
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
    // A session of its own: Ctrl-C in a terminal is meant for us, who end the programs in order.
    detached: true,
  }).spawn();
  const lines: string[] = [];
  const take = (line: string) => {
    lines.push(line);
    onLine(line);
    if (stopping && lastLine?.test(line)) signal("SIGKILL");
  };
  let stopping = false;
  let over = false;
  const exit = run(child, take).finally(() => over = true);
  const signal = (name: Deno.Signal) => over || child.kill(name);
  return {
    name,
    pid: child.pid,
    lines,
    exit,
    async said(pattern) {
      const find = () => lines.map((line) => pattern.exec(line)).find((match) => match !== null);
      const look = () => lines.slice(-SHOWN_LINES);
      const last = await until(`${name} says ${pattern}`, look, () => find() || over);
      return find() ?? fail(`${name} ended without saying ${pattern}:\n${last.join("\n")}`);
    },
    async stop() {
      stopping = true;
      signal("SIGTERM");
      const timer = setTimeout(() => signal("SIGKILL"), GRACE_MS);
      await exit;
      clearTimeout(timer);
      return exit;
    },
    async kill() {
      signal("SIGKILL");
      await exit;
    },
    async [Symbol.asyncDispose]() {
      await this.stop();
    },
  };
}

/** Reads both streams to their ends, and gives the exit code. */
async function run(child: Deno.ChildProcess, take: (line: string) => void): Promise<number> {
  const reading = [child.stdout, child.stderr].map((stream) => readLines(stream, take));
  const { code } = await child.status;
  // A line tells the reader that there is nothing left to end.
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode("\n"));
  await writer.close();
  await Promise.all(reading);
  return code;
}

async function readLines(
  stream: ReadableStream<Uint8Array<ArrayBuffer>>,
  take: (line: string) => void,
): Promise<void> {
  let rest = "";
  for await (const text of stream.pipeThrough(new TextDecoderStream())) {
    const parts = (rest + text).split("\n");
    rest = parts.pop()!;
    parts.forEach(take);
  }
  if (rest !== "") take(rest);
}

function fail(message: string): never {
  throw new Error(message);
}
