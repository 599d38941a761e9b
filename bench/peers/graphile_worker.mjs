/**
 * graphile-worker as a program: `fill <jobs> <ms>` makes jobs, `work default|fastest <jobs> <concurrency>` does them.
 *
 * Run by Node in the project's folder. PEERS names the folder with its packages, DATABASE_URL the database.
 * @module
 */
import { createRequire } from "node:module";
import process from "node:process";

const { Logger, makeWorkerUtils, run } = createRequire(`${process.env.PEERS}/`)("graphile-worker");
const connectionString = process.env.DATABASE_URL;
const [verb, ...words] = process.argv.slice(2);
const say = (text) => process.stdout.write(`bench ${text}\n`);
const nowMs = () => performance.timeOrigin + performance.now();
// It writes a line for each job otherwise.
const logger = new Logger(() => () => {});

if (verb === "fill") await fill(...words.map(Number));
else await work(words[0], Number(words[1]), Number(words[2]));

async function fill(jobs, ms) {
  const utils = await makeWorkerUtils({ connectionString, logger });
  await utils.migrate();
  await utils.withPgClient((client) =>
    client.query(
      `select count(*) from graphile_worker.add_jobs(array(
        select row('bench', json_build_object('ms', $2::float8), null, null, null, null, null, null)::graphile_worker.job_spec
        from generate_series(1, $1::int)))`,
      [jobs, ms],
    )
  );
  await utils.release();
}

async function work(settings, jobs, concurrency) {
  let ran = 0;
  const bench = async ({ ms, id }) => {
    const at = nowMs();
    if (id !== undefined) say(`began ${id} ${at}`);
    if (++ran === 1) say(`first ${at}`);
    if (ms > 0) await new Promise((wake) => setTimeout(wake, ms));
    if (ran === jobs) say(`last ${nowMs()}`);
  };
  // "fastest" is what its page on performance names as the configuration of its own figures.
  const fastest = {
    maxPoolSize: concurrency + 1,
    localQueue: { size: 500 },
    completeJobBatchDelay: 0,
    failJobBatchDelay: 0,
  };
  const chosen = settings === "fastest" ? { concurrentJobs: concurrency, ...fastest } : {};
  const preset = { worker: { connectionString, logger, ...chosen } };
  const runner = await run({ preset, taskList: { bench }, noHandleSignals: true, crontab: "" });
  process.once("SIGTERM", () => runner.stop().then(() => process.exit(0)));
  say("started");
}
