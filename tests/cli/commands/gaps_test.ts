import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { freshApp } from "../../support/app.ts";
import { cli } from "../support.ts";

Deno.test("gaps, status and doctor name what may have been lost, until a person says what came of it", async () => {
  await using app = await freshApp();
  const run = async (...args: string[]) =>
    await cli(app.config.DATABASE_URL, args, { now: () => new Date() });
  assertStringIncludes((await run("gaps")).output, "No gap is known");
  await app.rows`
    insert into gaps (source, began_at, ended_at, reason)
    values ('site', now() - interval '2 hours', now() - interval '1 hour', 'no receiver was there')`;
  assertMatch((await run("gaps")).output, /1 +site .* to be reconciled +no receiver was there/);
  const { output: status } = await run("status");
  assertMatch(
    status,
    /^Not well:\n- Deliveries of site may have been lost: .* 2 h: no receiver was there; `hookwork gaps`/,
  );
  assertMatch((await run("doctor")).output, /LOOK +gaps +Deliveries of site may have been lost/);

  const { exitCode, output } = await run("gap", "1", "--result", "the site sent 3 forms again");
  assertEquals(exitCode, 0);
  assertStringIncludes(output, "the site sent 3 forms again");
  assert((await run("status")).output.startsWith("All is well."));
  assertMatch((await run("gaps")).output, /closed .* the site sent 3 forms again/);
});

Deno.test("gap refuses what cannot be closed, and to close anything without a word", async () => {
  await using app = await freshApp();
  await app.rows`insert into gaps (source, began_at, reason) values ('site', now(), 'it lasts')`;
  for (const id of ["1", "2"]) {
    const { exitCode, errors } = await cli(app.config.DATABASE_URL, ["gap", id, "--result", "x"]);
    assertEquals(exitCode, 1);
    assertStringIncludes(errors, `Cannot close gap ${id}`);
  }
  assertEquals((await cli(app.config.DATABASE_URL, ["gap", "1"])).exitCode, 2);
});
