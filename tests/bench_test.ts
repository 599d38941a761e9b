/** The bench still runs, and says what it should; how fast anything is, no test can know. */

import { assert, assertEquals, assertThrows } from "@std/assert";
import { median, quantile, takeTurns } from "../bench/statistics.ts";
import { startProcess } from "./support/process.ts";

const ROOT = new URL("../", import.meta.url).pathname;
const TINY = ["--rounds", "1", "--scale", "0.002", "--json"];

interface Line {
  who: string;
  value: number;
  unit: string;
}

for (const name of ["intake", "latency", "growth", "memory"]) {
  Deno.test(`the bench of ${name} still runs, and each of its figures is one`, async () => {
    assertFigures(await bench(name, "--no-peers", ...TINY));
  });
}

Deno.test("the bench of queue still runs, and each candidate does the jobs it is given", async () => {
  // They are large, and slow to start.
  const withPeers = Deno.env.get("BENCH_PEERS") === "1";
  const lines = await bench("queue", ...withPeers ? [] : ["--no-peers"], ...TINY);
  assertFigures(lines);
  const candidates = ["bound", "hookwork", ...withPeers ? ["graphile-worker", "pg-boss"] : []];
  const rates = lines.filter(({ unit, value }) => unit === "jobs/s" && value > 0);
  const missing = candidates.filter((name) => !rates.some(({ who }) => who.startsWith(name)));
  assertEquals(missing, []);
});

Deno.test("a bench that nobody knows is refused, not passed over", async () => {
  await using process = await start("queues");
  assertEquals(await process.exit, 2);
});

Deno.test("candidates take turns: a disturbance never hits only one of them", async () => {
  const order: string[] = [];
  const candidate = (who: string) => ({ who, measure: () => Promise.resolve(order.push(who)) });
  const results = await takeTurns([candidate("a"), candidate("b")], 2);
  assertEquals(order, ["a", "b", "a", "b"]);
  assertEquals([...results], [["a", [1, 3]], ["b", [2, 4]]]);
});

Deno.test("quantiles of nothing are an error, and the largest value is the last one", () => {
  assertThrows(() => quantile([], 0.5), Error, "nothing was measured");
  assertThrows(() => median([]), Error, "nothing was measured");
  assertEquals(quantile([3, 1, 2], 1), 3);
  assertEquals(quantile(Array.from({ length: 100 }, (_, n) => n), 0.99), 99);
  assertEquals([median([9, 1, 5]), median([4, 2])], [5, 3]);
});

async function bench(...args: string[]): Promise<Line[]> {
  await using process = await start(...args);
  const code = await process.exit;
  assertEquals(code, 0, process.lines.join("\n"));
  const printed = process.lines.filter((line) => line.startsWith("{"));
  return printed.map((line) => JSON.parse(line));
}

function start(...args: string[]) {
  return startProcess({
    name: "bench",
    args: ["run", "--no-prompt", "-A", `${ROOT}bench/main.ts`, ...args],
    env: { BENCH_DATABASE_URL: Deno.env.get("TEST_DATABASE_URL")! },
  });
}

function assertFigures(lines: readonly Line[]): void {
  assert(lines.length > 0, "it measured nothing");
  assertEquals(lines.filter(({ value }) => !Number.isFinite(value)), []);
}
