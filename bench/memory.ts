/**
 * Whether a worker grows with the jobs it has done.
 * @module
 */
import type { Bench } from "./bench.ts";
import { secondsToFinish, startWorker } from "./queue.ts";
import { fillJobs, isQueueEmpty } from "./queue_sql.ts";
import { median } from "./statistics.ts";

const JOBS = 1_000_000;
const MEGABYTE = 2 ** 20;

/** One worker does a million jobs; its memory is looked at after each tenth. The first fifth warms it up. */
export async function benchMemory({ server, launcher, report, scaled }: Bench): Promise<void> {
  const jobs = scaled(JOBS);
  report.note(`memory: ${jobs} jobs, once`);
  await using database = await server.database();
  await database.migrate();
  await fillJobs(database.sql, { jobs, ms: 0 });
  await database.settle();
  await using worker = await startWorker(launcher, database.url, jobs);
  await secondsToFinish(worker, () => isQueueEmpty(database.sql));
  const looks = worker.process.lines.flatMap((line) => {
    const [, ran, bytes] = /bench memory (\d+) (\d+)/.exec(line) ?? [];
    return ran === undefined ? [] : [{ ran: Number(ran), megabytes: Number(bytes) / MEGABYTE }];
  });
  for (const { ran, megabytes } of looks) {
    const what = `after ${ran} jobs`;
    report.add({ bench: "memory", what, who: "hookwork", value: megabytes, unit: "MiB" });
  }
  const warm = looks.slice(Math.floor(looks.length / 5)).map(({ megabytes }) => megabytes);
  const early = median(warm.slice(0, Math.ceil(warm.length / 2)));
  const late = median(warm.slice(Math.floor(warm.length / 2)));
  report.goal({ bench: "memory", what: "second half, to first", value: late / early, below: 1.1 });
}
