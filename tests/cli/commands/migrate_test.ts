import { assertEquals, assertStringIncludes } from "@std/assert";
import { emptyDatabase, testDatabase } from "../../support/database.ts";
import { cli } from "../support.ts";

Deno.test("migrate needs DATABASE_URL only, says what it applied, and does nothing the second time", async () => {
  await using database = await emptyDatabase();
  const environment = { DATABASE_URL: database.url };
  const first = await cli(environment, ["migrate", "--json"]);
  assertEquals(first.exitCode, 0, first.errors);
  assertEquals(JSON.parse(first.output).applied[0], "0001_events.sql");
  assertStringIncludes(first.errors, "applied 0001_events.sql\n");
  const second = await cli(environment, ["migrate"]);
  assertEquals(second, {
    exitCode: 0,
    output: "Nothing to do: the database is at this version.\n",
    errors: "",
  });
});

Deno.test("migrate refuses a database that was changed by another text of an applied file", async () => {
  await using database = await testDatabase();
  await database.sql`update migrations set checksum = 'other' where name like '0002%'`;
  const { exitCode, errors } = await cli({ DATABASE_URL: database.url }, ["migrate"]);
  assertEquals(exitCode, 1);
  assertStringIncludes(errors, "was changed after it had been applied");
});
