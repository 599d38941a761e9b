/**
 * pg-boss as a program: `fill <jobs> <ms>` makes jobs, `work <jobs>` does them.
 *
 * Run by Node in the project's folder. PEERS names the folder with its packages, DATABASE_URL the database.
 * @module
 */
import { createRequire } from "node:module";
import process from "node:process";

const { PgBoss } = createRequire(`${process.env.PEERS}/`)("pg-boss");
const QUEUE = "bench";
const CHUNK = 5000;
const [verb, ...words] = process.argv.slice(2);
const say = (text) => process.stdout.write(`bench ${text}\n`);
const nowMs = () => performance.timeOrigin + performance.now();

const boss = new PgBoss({
  connectionString: process.env.DATABASE_URL,
  supervise: false,
  schedule: false,
});
boss.on("error", (error) => {
  throw error;
});
await boss.start();
await boss.createQueue(QUEUE);
if (verb === "fill") await fill(...words.map(Number));
else await work(Number(words[0]));

async function fill(jobs, ms) {
  for (let made = 0; made < jobs; made += CHUNK) {
    const length = Math.min(CHUNK, jobs - made);
    await boss.insert(QUEUE, Array.from({ length }, () => ({ data: { ms } })));
  }
  await boss.stop({ graceful: false });
  process.exit(0);
}

async function work(jobs) {
  let ran = 0;
  const one = async ({ data: { ms } }) => {
    if (++ran === 1) say(`first ${nowMs()}`);
    if (ms > 0) await new Promise((wake) => setTimeout(wake, ms));
    if (ran === jobs) say(`last ${nowMs()}`);
  };
  const settings = {
    batchSize: 500,
    localConcurrency: 2,
    burstWhenBatchFull: true,
    pollingIntervalSeconds: 0.5,
  };
  process.once("SIGTERM", () => boss.stop({ graceful: false }).then(() => process.exit(0)));
  await boss.work(QUEUE, settings, (batch) => Promise.all(batch.map(one)));
  say("started");
}
