import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { freshApp, type TestApp } from "../../support/app.ts";
import { cli } from "../support.ts";

const give = (app: TestApp, kind: string, error: string, minutesAgo: number) =>
  app.rows`
    insert into jobs (kind, status, reason, attempts, last_error, finished_at)
    values (${kind}, 'failed', 'exhausted', 8, ${error}, now() - make_interval(mins => ${minutesAgo}::integer))`;

Deno.test("failed lists what was given up last first, and names the commands that lead on", async () => {
  await using app = await freshApp();
  await give(app, "work", "older", 60);
  await give(app, "mail", "newer", 1);
  const { exitCode, output } = await cli(app.config.DATABASE_URL, ["failed"]);
  assertEquals(exitCode, 0);
  assert(output.indexOf("newer") < output.indexOf("older"));
  assertStringIncludes(output, "exhausted  8/8");
  assertStringIncludes(output, "hookwork job 2\n");
  assertStringIncludes(output, "hookwork retry 2\n");
});

Deno.test("failed fits the terminal, and keeps an error of many lines with controls in one", async () => {
  await using app = await freshApp();
  await give(app, "work", `first\nsecond\x1b[2J${"x".repeat(500)}`, 1);
  const { output } = await cli(app.config.DATABASE_URL, ["failed"], { columns: 100 });
  const [titles, row, blank] = output.split("\n");
  assert(titles!.length <= 100);
  assertEquals(row!.length, 100);
  assertEquals(blank, "");
  assertStringIncludes(row!, "first\\nsecond\\u001b[2Jx");
});

Deno.test("failed shows only the kind and the number asked for", async () => {
  await using app = await freshApp();
  for (let n = 1; n <= 3; n++) await give(app, "work", `w${n}`, n);
  await give(app, "mail", "m", 0);
  const ids = async (...args: string[]) => {
    const { output } = await cli(app.config.DATABASE_URL, ["failed", "--json", ...args]);
    return JSON.parse(output).map((job: { id: string }) => job.id);
  };
  assertEquals(await ids("--kind", "work", "--limit", "2"), ["1", "2"]);
  assertEquals(await ids("--kind", "site.form"), []);
});

Deno.test("failed --json keeps every digit of a payload's numbers", async () => {
  await using app = await freshApp();
  await app.rows`
    insert into jobs (kind, status, reason, finished_at, payload)
    values ('work', 'failed', 'permanent', now(), '{"order":12345678901234567890,"price":1.50}')`;
  const { output } = await cli(app.config.DATABASE_URL, ["failed", "--json"]);
  assert(/"order": 12345678901234567890,\n\s+"price": 1\.50/.test(output), output);
});
