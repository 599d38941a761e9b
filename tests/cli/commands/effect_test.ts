import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { enqueue } from "../../../lib/db/jobs.ts";
import { freshApp, type TestApp } from "../../support/app.ts";
import { claim, settle } from "../../support/jobs.ts";
import { cli } from "../support.ts";

const KEY = "contract:4521";

Deno.test("effect shows an open question with both commands that answer it", async () => {
  await using app = await freshApp();
  await openQuestion(app);
  const { exitCode, output } = await cli(app.config.DATABASE_URL, ["effect", KEY]);
  assertEquals(exitCode, 0);
  for (
    const part of [
      `Effect ${KEY}  intended`,
      '{"sum":12345678901234567890}',
      `hookwork effect ${KEY} --happened <reference>`,
      `hookwork effect ${KEY} --did-not-happen`,
    ]
  ) assertStringIncludes(output, part);
});

Deno.test("effect --happened keeps the reference for later attempts, and offers the retry", async () => {
  await using app = await freshApp();
  const id = await openQuestion(app);
  const args = ["effect", KEY, "--happened", "note 17"];
  const { exitCode, output } = await cli(app.config.DATABASE_URL, args);
  assertEquals(exitCode, 0);
  assertStringIncludes(output, `hookwork retry ${id}`);
  assertEquals(await app.rows`select state, ref from effects`, [{ state: "done", ref: "note 17" }]);
});

Deno.test("effect --did-not-happen lets the next attempt begin anew, and offers the retry", async () => {
  await using app = await freshApp();
  const id = await openQuestion(app);
  const args = ["effect", KEY, "--did-not-happen"];
  const { exitCode, output } = await cli(app.config.DATABASE_URL, args);
  assertEquals(exitCode, 0);
  assertStringIncludes(output, `hookwork retry ${id}`);
  assertEquals(await app.rows`select key from effects`, []);
});

Deno.test("no word of a person changes what is done or planned, or a call that is under way", async () => {
  await using app = await freshApp();
  await openQuestion(app);
  const decide = (...args: string[]) => cli(app.config.DATABASE_URL, ["effect", KEY, ...args]);
  await app.rows`update effects set ends_at = now() + interval '1 minute'`;
  const early = await decide("--did-not-happen");
  assertEquals(early.exitCode, 1);
  assertStringIncludes(early.errors, "under way");
  await decide("--happened", "first");
  for (const args of [["--happened", "other"], ["--did-not-happen"]]) {
    const { exitCode, errors } = await decide(...args);
    assertEquals(exitCode, 1);
    assertStringIncludes(errors, "it is done, as first");
  }
  await app.rows`update effects set state = 'planned', ref = null, done_at = null`;
  assertStringIncludes((await decide("--did-not-happen")).errors, "only planned");
});

Deno.test("effect refuses an unknown key, an empty reference, and two words at once", async () => {
  await using app = await freshApp();
  const run = (...args: string[]) => cli(app.config.DATABASE_URL, ["effect", ...args]);
  const unknown = await run("nothing");
  assertEquals(unknown.exitCode, 1);
  assertStringIncludes(unknown.errors, "hookwork effects");
  assertEquals((await run(KEY, "--happened", " ")).exitCode, 2);
  assertEquals((await run(KEY, "--happened", "x", "--did-not-happen")).exitCode, 2);
  assertEquals((await run(KEY, "--happened", "--did-not-happen")).exitCode, 2);
});

Deno.test("effect shows all references of what was created more than once", async () => {
  await using app = await freshApp();
  await openQuestion(app);
  await app.rows`
    update effects set state = 'done', ref = 'a', done_at = now(), other_refs = '{b,c}'`;
  const { output } = await cli(app.config.DATABASE_URL, ["effect", KEY]);
  assert(/reference +a\n +created again as +b\n +c\n/.test(output), output);
});

Deno.test("job shows the effects of a job", async () => {
  await using app = await freshApp();
  const id = await openQuestion(app);
  const { output } = await cli(app.config.DATABASE_URL, ["job", id]);
  assertStringIncludes(output, `hookwork effect ${KEY} --did-not-happen`);
  const json = await cli(app.config.DATABASE_URL, ["job", id, "--json"]);
  assertEquals(JSON.parse(json.output).effects[0].key, KEY);
});

/** A job that was given up over an effect of which nobody knows; its id. */
async function openQuestion(app: TestApp): Promise<string> {
  await enqueue(app.db, { kind: "work" });
  const [job] = await claim(app.db);
  await app.rows`
    insert into effects (key, job_id, kind, claim, state, tries, detail, ends_at)
    values (${KEY}, ${job!.id}, 'work', 1, 'intended', 1, '{"sum":12345678901234567890}',
      now() - interval '1 second')`;
  await settle(app.db, [job!], { status: "failed", reason: "outcome_unknown", error: "who knows" });
  return job!.id;
}
