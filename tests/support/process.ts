/** Real processes in tests: start them, read what they say, signal them, leave none behind. */

import { until } from "./until.ts";

/** What to start: arguments of `deno`, and the only environment besides PATH, HOME and Deno's own. */
export interface ProcessOptions {
  name: string;
  args: string[];
  env?: Record<string, string>;
  /** Waits for a line that matches before the process counts as started. */
  ready?: RegExp;
  /** A program other than Deno. */
  command?: string;
}

/** A process that a test started; killed when the test leaves its scope. */
export interface TestProcess extends AsyncDisposable {
  pid: number;
  /** Everything it wrote so far, to either stream. */
  lines: string[];
  /** The exit code: 128 and the signal's number when a signal ended it. */
  exit: Promise<number>;
  /** Gives the first line that matches, now or later; fails if the process ends without one. */
  waitFor(pattern: RegExp, options?: { within?: number }): Promise<string>;
  kill(signal?: Deno.Signal): void;
}

/** Starts a process: `await using worker = await startProcess({ name: "worker", args: [...] })`. */
export async function startProcess(options: ProcessOptions): Promise<TestProcess> {
  const started = spawn(options);
  try {
    if (options.ready) await started.waitFor(options.ready, { within: 30 });
    return started;
  } catch (error) {
    await started[Symbol.asyncDispose]();
    throw error;
  }
}

/** A port that nobody listens on at this moment. */
export function freePort(): number {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return listener.addr.port;
}

function spawn({ name, args, env, command = Deno.execPath() }: ProcessOptions): TestProcess {
  const child = new Deno.Command(command, {
    args,
    env: { ...inherited(), NO_COLOR: "1", ...env },
    clearEnv: true,
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const lines: string[] = [];
  const state = { over: false };
  const read = Promise.all([collect(child.stdout, lines), collect(child.stderr, lines)]);
  const exit = Promise.all([child.status, read]).then(([{ code }]) => {
    state.over = true;
    return code;
  });
  const kill = (signal: Deno.Signal = "SIGTERM") => {
    if (!state.over) signalIfAlive(child, signal);
  };
  return {
    pid: child.pid,
    lines,
    exit,
    kill,
    async waitFor(pattern, limit) {
      const find = () => lines.find((line) => pattern.test(line));
      const missing = () => `${name} writes ${pattern}; it wrote:\n${lines.join("\n")}`;
      await until(missing, () => find() || state.over, limit);
      return find() ?? raise(`${name} ended without writing ${pattern}:\n${lines.join("\n")}`);
    },
    async [Symbol.asyncDispose]() {
      kill("SIGKILL");
      await exit;
    },
  };
}

async function collect(stream: ReadableStream<Uint8Array>, lines: string[]): Promise<void> {
  let rest = "";
  for await (const text of stream.pipeThrough(new TextDecoderStream())) {
    const parts = (rest + text).split("\n");
    rest = parts.pop()!;
    lines.push(...parts);
  }
  if (rest) lines.push(rest);
}

function inherited(): Record<string, string> {
  const names = ["PATH", "HOME", "DENO_DIR", "JSR_URL", "DENO_TLS_CA_STORE", "NPM_CONFIG_REGISTRY"];
  const found = names.map((name) => [name, Deno.env.get(name)]);
  return Object.fromEntries(found.filter(([, value]) => value !== undefined));
}

/** It may have ended a moment ago without our knowing yet. */
function signalIfAlive(child: Deno.ChildProcess, signal: Deno.Signal): void {
  try {
    child.kill(signal);
  } catch (error) {
    if (!(error instanceof TypeError || error instanceof Deno.errors.NotFound)) throw error;
  }
}

function raise(message: string): never {
  throw new Error(message);
}
