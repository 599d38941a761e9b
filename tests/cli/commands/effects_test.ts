import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { freshApp, type TestApp } from "../../support/app.ts";
import { cli } from "../support.ts";

Deno.test("effects --planned shows what would have been done, and nothing that was", async () => {
  await using app = await freshApp();
  await someEffects(app);
  const { exitCode, output } = await cli(app.config.DATABASE_URL, ["effects", "--planned"]);
  assertEquals(exitCode, 0);
  assertStringIncludes(output, "note:1");
  assertStringIncludes(output, '{"text":"Contract 1"}');
  assert(!output.includes("note:2") && !output.includes("note:3"), output);
});

Deno.test("effects lists the latest first, all or those of a state or a kind", async () => {
  await using app = await freshApp();
  await someEffects(app);
  const keysOf = async (...args: string[]) => {
    const { output } = await cli(app.config.DATABASE_URL, ["effects", "--json", ...args]);
    return JSON.parse(output).map(({ key }: { key: string }) => key);
  };
  assertEquals(await keysOf(), ["note:3", "note:2", "note:1"]);
  assertEquals(await keysOf("--limit", "1"), ["note:3"]);
  assertEquals(await keysOf("--state", "intended"), ["note:2"]);
  assertEquals(await keysOf("--kind", "mail"), ["note:3"]);
});

Deno.test("effects refuses a state that there is not, and two of them", async () => {
  await using app = await freshApp();
  const run = (...args: string[]) => cli(app.config.DATABASE_URL, ["effects", ...args]);
  assertEquals((await run("--state", "open")).exitCode, 2);
  assertEquals((await run("--planned", "--state", "done")).exitCode, 2);
  assertStringIncludes((await run()).output, "There is no such effect.");
});

async function someEffects(app: TestApp): Promise<void> {
  await app.rows`
    insert into effects (key, job_id, kind, claim, state, tries, detail, ends_at, ref, done_at, intended_at) values
      ('note:1', 1, 'work', 1, 'planned', 0, '{"text":"Contract 1"}', null, null, null, now() - interval '3 s'),
      ('note:2', 1, 'work', 1, 'intended', 1, null, now(), null, null, now() - interval '2 s'),
      ('note:3', 2, 'mail', 1, 'done', 0, null, now(), 'r', now(), now() - interval '1 s')`;
}
