import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import type { Host } from "../../../lib/cli/host.ts";
import { freshApp, type TestApp } from "../../support/app.ts";
import { cli } from "../support.ts";

/** One failed job for each reason. */
async function appWith(...reasons: string[]): Promise<TestApp> {
  const app = await freshApp();
  for (const reason of reasons) {
    await app.rows`
      insert into jobs (kind, status, reason, attempts, finished_at)
      values ('work', 'failed', ${reason}, 8, timestamptz '2026-03-01 11:00Z')`;
  }
  return app;
}

const RETRY = ["retry", "--kind", "work", "--since", "2h"];
const run = (app: TestApp, args: string[], host?: Partial<Host>) =>
  cli(app.config.DATABASE_URL, args, host);
const pending = async (app: TestApp) =>
  (await app.rows`select from jobs where status = 'pending' and attempts = 0`).length;

Deno.test("retry of many counts by reason, asks, and changes nothing unless the answer is yes", async () => {
  await using app = await appWith("exhausted", "timeout", "exhausted");
  const asked: string[] = [];
  const answering = (answer: boolean) => ({
    confirm(question: string) {
      asked.push(question);
      return answer;
    },
  });
  const refused = await run(app, RETRY, answering(false));
  assertEquals([refused.exitCode, refused.output, await pending(app)], [1, "", 0]);
  const done = await run(app, RETRY, answering(true));
  assertEquals([done.exitCode, done.errors, await pending(app)], [0, "", 3]);
  assertEquals(asked.length, 2);
  assertStringIncludes(asked[0]!, "3 job(s) of the kind work");
  assertStringIncludes(asked[0]!, "2 exhausted, 1 timeout");
  assertStringIncludes(done.output, "3 job(s) of the kind work are in the queue again");
});

Deno.test("retry of many without a terminal and without --yes is an error of usage that names the count", async () => {
  await using app = await appWith("exhausted");
  const { exitCode, output, errors } = await run(app, RETRY);
  assertEquals([exitCode, output, await pending(app)], [2, "", 0]);
  assertMatch(errors, /1 job\(s\)[^]*--yes/);
  assertEquals((await run(app, [...RETRY, "--yes"])).exitCode, 0);
  assertEquals(await pending(app), 1);
});

Deno.test("retry of many leaves out what a person decided or has to decide, and says so; --reason names it", async () => {
  await using app = await appWith("cancelled", "outcome_unknown", "exhausted");
  const { output } = await run(app, [...RETRY, "--yes"]);
  assertStringIncludes(output, "Left out: 1 cancelled, 1 outcome_unknown");
  assertEquals(await pending(app), 1);
  await run(app, [...RETRY, "--yes", "--reason", "outcome_unknown"]);
  assertEquals(await app.rows`select reason from jobs where status = 'failed'`, [
    { reason: "cancelled" },
  ]);
});

Deno.test("retry of many asks nothing where there is nothing, and takes nothing older than it was told", async () => {
  await using app = await appWith("exhausted");
  const { exitCode, output } = await run(app, ["retry", "--kind", "work", "--since", "30m"]);
  assertEquals([exitCode, output], [0, "No job of the kind work is tried again.\n"]);
  assertEquals(await pending(app), 0);
});

Deno.test("retry of many spreads the jobs at its rate", async () => {
  await using app = await appWith("timeout", "timeout", "timeout");
  const { output } = await run(app, [...RETRY, "--yes", "--rate", "0.1", "--json"]);
  assertEquals(JSON.parse(output), { kind: "work", retried: 3, leftOut: {}, seconds: 20 });
  const [row] = await app.rows`
    select extract(epoch from max(run_at) - min(run_at))::float as seconds from jobs`;
  assertEquals(row!.seconds, 20);
});

Deno.test("retry takes one id or a choice of many, never both, neither or half of one", async () => {
  const lines = [
    ["retry"],
    ["retry", "--kind", "work"],
    ["retry", "--since", "2h"],
    ["retry", "1", "--kind", "work"],
    ["retry", "1", "--rate", "3"],
    ["retry", "--kind", "work", "--since", "soon"],
    ["retry", "--kind", "work", "--since", "2h", "--rate", "0"],
    ["retry", "--kind", "work", "--since", "2h", "--reason", "bored"],
  ];
  for (const args of lines) {
    const { exitCode, output, errors } = await cli("postgres://127.0.0.1:1/none", args);
    assertEquals([exitCode, output], [2, ""], `${args}: ${errors}`);
  }
});
