import { assertEquals, assertStringIncludes } from "@std/assert";
import { freshApp } from "../../support/app.ts";
import { cli } from "../support.ts";

Deno.test("jobs lists the newest first, only in the state and of the kind asked for", async () => {
  await using app = await freshApp();
  await app.rows`
    insert into jobs (kind, status, reason, finished_at) values
      ('work', 'pending', null, null), ('mail', 'pending', null, null),
      ('work', 'failed', 'timeout', now()), ('work', 'pending', null, null)`;
  const ids = async (...args: string[]) => {
    const { output } = await cli(app.config.DATABASE_URL, ["jobs", "--json", ...args]);
    return JSON.parse(output).map((job: { id: string }) => job.id);
  };
  assertEquals(await ids(), ["4", "3", "2", "1"]);
  assertEquals(await ids("--status", "pending", "--kind", "work"), ["4", "1"]);
  assertEquals(await ids("--limit", "1"), ["4"]);
  const { output } = await cli(app.config.DATABASE_URL, ["jobs"]);
  assertStringIncludes(output, "failed: timeout");
});

Deno.test("a misspelt kind is no empty list, which would read as if all were well", async () => {
  await using app = await freshApp();
  await app.rows`insert into jobs (kind) values ('retired')`;
  for (const args of [["jobs"], ["failed"], ["retry", "--since", "2h", "--yes"]]) {
    const said = await cli(app.config.DATABASE_URL, [...args, "--kind", "site.from"]);
    assertEquals([said.exitCode, said.output], [1, ""]);
    assertStringIncludes(said.errors, "did you mean site.form?");
    for (const known of ["site.form", "retired"]) {
      const { exitCode } = await cli(app.config.DATABASE_URL, [...args, "--kind", known]);
      assertEquals(exitCode, 0, `${args} ${known}`);
    }
  }
});
