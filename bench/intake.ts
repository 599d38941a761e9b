/**
 * How many signed deliveries a second one receiver process takes, against a transaction for each and pgbench's best.
 * @module
 */
import type { Bench } from "./bench.ts";
import { type PreparedRequest, prepareRequests, sendAll } from "./client.ts";
import { hasPgbench, pgbench } from "./pgbench.ts";
import type { Program } from "./programs.ts";
import { median, takeTurns } from "./statistics.ts";

const REQUESTS = 30_000;
/** One request at a time takes longer. */
const PLAIN_REQUESTS = 8000;
const WARM_UP = 3000;
const REPEATS = 0.05;
const CONNECTIONS = [32, 128];
const PGBENCH_CLIENTS = [16, 32, 64, 128];
const STATEMENTS = 12_000;

/** Both receivers at 32 and 128 connections, and the one-row statement with as many clients as suits it best. */
export async function benchIntake(bench: Bench): Promise<void> {
  const { report } = bench;
  report.note(`intake: ${bench.rounds} rounds`);
  const receivers = CONNECTIONS.flatMap((connections) => [
    { who: "hookwork", connections, file: "main.ts", requests: REQUESTS },
    { who: PLAIN, connections, file: "bench/plain_receiver.ts", requests: PLAIN_REQUESTS },
  ]);
  const withPgbench = await hasPgbench();
  if (!withPgbench) report.note("intake: no pgbench on the PATH, so it is left out");
  const turns = [
    ...receivers.map((receiver) => ({
      who: `${receiver.who} at ${receiver.connections}`,
      measure: () => measureReceiver(bench, receiver),
    })),
    ...(withPgbench ? PGBENCH_CLIENTS : []).map((clients) => ({
      who: `pgbench, one row, ${clients} clients`,
      measure: () => measurePgbench(bench, clients),
    })),
  ];
  const results = await takeTurns(turns, bench.rounds);
  const medians = new Map(Array.from(results, ([who, rounds]) => {
    const value = median(rounds);
    const what = who.startsWith("pgbench") ? "statements" : "deliveries, 5 % of them repeats";
    report.add({ bench: "intake", what, who, value, unit: "requests/s", rounds });
    return [who, value];
  }));
  if (!withPgbench) return;
  const best = Math.max(
    ...PGBENCH_CLIENTS.map((clients) => medians.get(`pgbench, one row, ${clients} clients`)!),
  );
  report.goal({
    bench: "intake",
    what: "hookwork at 128 to pgbench's best",
    value: medians.get("hookwork at 128")! / best,
    atLeast: 2,
  });
}

const PLAIN = "a transaction for each";

interface Receiver {
  readonly file: string;
  readonly connections: number;
  readonly requests: number;
}

async function measureReceiver(bench: Bench, receiver: Receiver): Promise<number> {
  const { launcher, server } = bench;
  await using database = await server.database();
  await database.migrate();
  await database.settle();
  await using program = await launcher.hookwork(receiver.file, database.url);
  const port = await portOf(program);
  const prepare = (count: number): PreparedRequest[] =>
    prepareRequests(bench.scaled(count), {
      secret: launcher.secrets.SITE_WEBHOOK_SECRET,
      repeats: REPEATS,
    });
  // Its code is compiled by use; a receiver is seldom young.
  await sendAll(port, prepare(WARM_UP), receiver.connections);
  const sent = await sendAll(port, prepare(receiver.requests), receiver.connections);
  if (sent.refused > 0) bench.report.note(`intake: ${sent.refused} deliveries were refused (503)`);
  return sent.perSecond;
}

/** The port on which a receiver says that it listens. */
export async function portOf(receiver: Program): Promise<number> {
  return Number(/port=(\d+)/.exec(await receiver.heard("listening"))![1]);
}

async function measurePgbench({ server, scaled }: Bench, clients: number): Promise<number> {
  await using database = await server.database();
  await database.migrate();
  await database.settle();
  return await pgbench(database.url, clients, scaled(STATEMENTS));
}
