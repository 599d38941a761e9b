/** Runs the tests against a real Postgres, and says in its last line how many passed. */
// deno-lint-ignore-file no-console -- the terminal is where this speaks

import { type EmbeddedPostgres, startPostgres } from "../demo/postgres.ts";

/** What the summary of `deno test` says. */
export interface Counts {
  passed: number;
  failed: number;
  skipped: number;
}

const ROOT = import.meta.dirname!.slice(0, import.meta.dirname!.lastIndexOf("/"));
const STATE = `${ROOT}/.hookwork`;
const TEMP = Deno.env.get("TMPDIR") ?? "/tmp";

if (import.meta.main) Deno.exit(await main(Deno.args));

async function main(args: string[]): Promise<number> {
  const stop = stopSignal();
  const given = Deno.env.get("TEST_DATABASE_URL");
  const server = given ? undefined : await startDatabase();
  try {
    return await runTests(args, given ?? server!.url, stop);
  } finally {
    await server?.stop();
    if (server) await Deno.remove(server.dir, { recursive: true });
  }
}

async function runTests(args: string[], url: string, stop: AbortSignal): Promise<number> {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["test", ...flags(), ...args],
    cwd: ROOT,
    env: { TEST_DATABASE_URL: url },
    stdin: "null",
    stdout: "piped",
  }).spawn();
  stop.addEventListener("abort", () => endIfAlive(child));
  if (stop.aborted) endIfAlive(child);
  const output = await passOn(child.stdout);
  const { code } = await child.status;
  const counts = parseSummary(output) ?? { passed: 0, failed: 1, skipped: 0 };
  console.log(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
  return code || (counts.failed || !counts.passed ? 1 : 0);
}

function flags(): string[] {
  return [
    "--no-prompt",
    "--allow-net",
    "--allow-env",
    "--allow-read",
    `--allow-write=${STATE},${TEMP}`,
    "--allow-run",
    "--allow-sys",
    "--sanitize-ops",
    "--sanitize-resources",
    "--trace-leaks",
  ];
}

/** Reads the counts from the last summary line in the output. */
export function parseSummary(output: string): Counts | undefined {
  // deno-lint-ignore no-control-regex
  const plain = output.replaceAll(/\x1b\[[0-9;]*m/g, "");
  const line = plain.split("\n").findLast((line) => /^(ok|FAILED) \| \d+ passed/.test(line));
  const count = (word: string) => Number(line?.match(`(\\d+) ${word}`)?.[1] ?? 0);
  return line
    ? { passed: count("passed"), failed: count("failed"), skipped: count("ignored") }
    : undefined;
}

async function passOn(stream: ReadableStream<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of stream) {
    await writeAll(chunk);
    text += decoder.decode(chunk, { stream: true });
  }
  return text;
}

async function writeAll(chunk: Uint8Array): Promise<void> {
  for (let sent = 0; sent < chunk.length;) sent += await Deno.stdout.write(chunk.subarray(sent));
}

/** Ctrl-C reaches the child too, which may be gone before we hear of it. */
function endIfAlive(child: Deno.ChildProcess): void {
  try {
    child.kill("SIGTERM");
  } catch { /* it has ended */ }
}

async function startDatabase(): Promise<EmbeddedPostgres> {
  const server = await startPostgres({
    dir: `${STATE}/test-postgres-${Deno.pid}`,
    durable: false,
    log: (line) => console.error(line),
  });
  await removeAbandoned(`${server.dir}/..`);
  return server;
}

/** A run that was killed could not remove its data. */
async function removeAbandoned(home: string): Promise<void> {
  for await (const { name } of Deno.readDir(home)) {
    const owner = Number(name.match(/^test-postgres-(\d+)/)?.[1]);
    if (owner && !isAlive(owner)) await Deno.remove(`${home}/${name}`, { recursive: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    Deno.kill(pid, 0);
    return true;
  } catch (error) {
    return !(error instanceof Deno.errors.NotFound);
  }
}

/** Stopping the tests leads to the end of `main`, where Postgres is stopped too. */
function stopSignal(): AbortSignal {
  const controller = new AbortController();
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    Deno.addSignalListener(name, () => controller.abort());
  }
  return controller.signal;
}
