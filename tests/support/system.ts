/** Hookwork as it really runs: receivers, workers and commands as processes, on a database of their own. */

import { serviceCommand } from "../../demo/service.ts";
import type { ProgramTask } from "../../deploy/programs.ts";
import { randomSettings } from "../../demo/settings.ts";
import { type Answer, createSite } from "../../demo/site.ts";
import { startTelegramApi, type TelegramApi } from "../../demo/telegram_api.ts";
import { type TestDatabase, testDatabase } from "./database.ts";
import { startProcess, type TestProcess } from "./process.ts";
import { until } from "./until.ts";

/** The worker with the handlers of `test_handlers.ts`. */
export const TEST_WORKER = "tests/support/worker_entry.ts";

const NAMES = { serve: "receiver", work: "worker", cli: "cli" } as const;
const STARTED = /\] started\b/;

/** How a process differs from the others. */
export interface Start {
  env?: Record<string, string>;
  /** The entry file. */
  file?: string;
  /** Flags of `deno run` besides those of the tasks. */
  flags?: string[];
}

/** A receiver that listens. */
export interface Receiver extends TestProcess {
  port: number;
  /** Posts a form, signed; rejects when there is no answer. */
  post(form: unknown): Promise<Answer>;
  /** Whether a new form is stored now. */
  stores(): Promise<boolean>;
}

/** What an ended command left. */
export interface Ended {
  code: number;
  output: string;
}

/** A job as the tests look at it. */
export interface JobRow {
  id: string;
  kind: string;
  status: string;
  reason: string | null;
  attempts: number;
  claims: number;
  lost: number;
  result: string | null;
  last_error: string | null;
  locked_by: string | null;
}

/** A whole installation; everything of it is gone when the test leaves its scope. */
export interface System extends AsyncDisposable {
  database: TestDatabase;
  telegram: TelegramApi;
  /** What every process is given. */
  env: Record<string, string>;
  /** Starts a receiver and waits until it listens. */
  receiver(start?: Start): Promise<Receiver>;
  /** Starts the worker of the tests, and waits until it works. */
  worker(start?: Start): Promise<TestProcess>;
  /** Runs a command to its end. */
  cli(args: string[], start?: Start): Promise<Ended>;
  /** Every line that any process has written so far. */
  lines(): string[];
  /** Makes a job, due at once; gives its id. */
  enqueue(kind: string, payload?: Record<string, unknown>, maxAttempts?: number): Promise<string>;
  job(id: string): Promise<JobRow>;
  /** Waits until the job has this status. */
  jobIs(id: string, status: string, within?: number): Promise<JobRow>;
  /** Waits until a handler has begun to run this job for the nth time. */
  started(id: string, times?: number): Promise<void>;
  /** How often handlers have begun to run this job. */
  runs(id: string): Promise<number>;
  /** Makes the leases of all running jobs end now, instead of waiting for it. */
  endLeases(): Promise<void>;
}

/** Starts an installation without processes: `await using system = await startSystem()`. */
export async function startSystem(env: Record<string, string> = {}): Promise<System> {
  await using stack = new AsyncDisposableStack();
  const database = stack.use(await testDatabase());
  const { sql } = database;
  await sql`create table runs (job bigint not null, at timestamptz default clock_timestamp())`;
  const settings = randomSettings();
  const telegram = stack.use(await startTelegramApi({ token: settings.TELEGRAM_BOT_TOKEN }));
  const shared = {
    ...settings,
    DATABASE_URL: database.url,
    TELEGRAM_API: telegram.url.href,
    PORT: "0",
    LOG_FORMAT: "text",
    LOG_LEVEL: "debug",
    ...env,
  };
  const processes: TestProcess[] = [];
  stack.defer(() => endAll(processes));

  const run = async (task: ProgramTask, start: Start, ready?: RegExp, args?: string[]) => {
    const { file, flags } = start;
    const [command, ...rest] = await serviceCommand(task, { file, flags, args, envFile: false });
    const env = { ...shared, ...start.env };
    const started = await startProcess({ name: NAMES[task], command, args: rest, env, ready });
    processes.push(started);
    return started;
  };
  const job = async (id: string) => {
    const [row] = await sql<JobRow[]>`select * from jobs where id = ${id}`;
    return row!;
  };
  const runs = async (id: string) => {
    const [row] = await sql`select count(*)::int as count from runs where job = ${id}`;
    return row!.count as number;
  };
  const held = stack.move();
  return {
    database,
    telegram,
    env: shared,
    async receiver(start = {}) {
      const receiver = await run("serve", start, STARTED);
      const listening = await receiver.waitFor(/listening .*port=\d+/);
      const port = Number(/port=(\d+)/.exec(listening)![1]);
      const site = createSite(`http://127.0.0.1:${port}/hooks/site`, settings.SITE_WEBHOOK_SECRET);
      const post = (form: unknown) => site.post(JSON.stringify(form));
      const stores = async () => (await post({ id: crypto.randomUUID() })).status === 202;
      return { ...receiver, port, post, stores };
    },
    worker: (start = {}) => run("work", { file: TEST_WORKER, ...start }, STARTED),
    async cli(args, start = {}) {
      const command = await run("cli", start, undefined, args);
      return { code: await command.exit, output: command.lines.join("\n") };
    },
    lines: () => processes.flatMap((process) => process.lines),
    async enqueue(kind, payload = {}, maxAttempts = 8) {
      const [row] = await sql`
        insert into jobs (kind, payload, max_attempts)
        values (${kind}, ${JSON.stringify(payload)}::text::json, ${maxAttempts}) returning id
      `;
      await sql`notify hookwork_jobs`;
      return row!.id;
    },
    job,
    async jobIs(id, status, within) {
      let seen: JobRow | undefined;
      const what = () => `job ${id} is ${status}: ${Deno.inspect(seen)}`;
      await until(what, async () => (seen = await job(id)).status === status, { within });
      return seen!;
    },
    started: (id, times = 1) =>
      until(`job ${id} runs for the ${times}. time`, async () => await runs(id) >= times),
    runs,
    endLeases: async () =>
      void await sql`update jobs set locked_until = now() where status = 'running'`,
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  };
}

async function endAll(processes: TestProcess[]): Promise<void> {
  await Promise.all(processes.map((process) => process[Symbol.asyncDispose]()));
}
