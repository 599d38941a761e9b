import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { version } from "../../lib/version.ts";
import { testDatabase } from "../support/database.ts";
import { startProxy } from "../support/proxy.ts";
import { cli, SECRETS } from "./support.ts";

const NOWHERE = "postgres://hookwork:pg-s3cret@127.0.0.1:1/hookwork";

Deno.test("run() answers a mistyped command with a suggestion and the code of usage", async () => {
  const { exitCode, errors } = await cli(NOWHERE, ["stauts"]);
  assertEquals(exitCode, 2);
  assertStringIncludes(errors, "Did you mean status?");
});

Deno.test("run() takes no id that is none, before the database is asked", async () => {
  for (const id of ["abc", "99999999999999999999", "-1"]) {
    const { exitCode, errors, output } = await cli(NOWHERE, ["retry", id]);
    assertEquals({ exitCode, output }, { exitCode: 2, output: "" });
    assertStringIncludes(errors, "An id is a whole number");
  }
});

Deno.test("run() ends with the code of usage when an argument is missing, unknown or too many", async () => {
  const lines = [[], ["job"], ["job", "1", "2"], ["jobs", "--status", "lost"], ["jobs", "--stats"]];
  for (const args of lines) assertEquals((await cli(NOWHERE, args)).exitCode, 2, `${args}`);
});

Deno.test("run() prints help to standard output with code 0, as asked for", async () => {
  const { exitCode, output, errors } = await cli({}, ["--help"]);
  assertEquals({ exitCode, errors }, { exitCode: 0, errors: "" });
  for (const name of ["status", "failed", "retry", "replay", "migrate", "check", "--json"]) {
    assertStringIncludes(output, name);
  }
});

Deno.test("run() says the version without any setting", async () => {
  for (const flag of ["--version", "-V"]) {
    const { exitCode, output, errors } = await cli({}, [flag]);
    assertEquals({ exitCode, output, errors }, {
      exitCode: 0,
      output: `hookwork ${version}\n`,
      errors: "",
    });
  }
});

Deno.test("run() tells in one line that the database is away, and shows no secret", async () => {
  const commands = [["failed"], ["retry", "1"], ["replay", "1"], ["status"], ["migrate"]];
  for (const args of commands) {
    const { exitCode, output, errors } = await cli(NOWHERE, args);
    assertEquals({ exitCode, output }, { exitCode: 1, output: "" }, `${args}`);
    assertMatch(errors, /^Cannot .*ECONNREFUSED.*\n$/);
    for (const secret of SECRETS) assert(!errors.includes(secret));
  }
});

Deno.test("run() does not wait for a server that takes connections and stays silent", async () => {
  await using database = await testDatabase();
  await using proxy = startProxy(database.url);
  proxy.freeze();
  const started = performance.now();
  const { exitCode, errors } = await cli(proxy.url, ["failed"]);
  proxy.heal();
  assertEquals(exitCode, 1);
  assertMatch(errors, /^Cannot use the database: .*\n$/);
  assert(performance.now() - started < 8000);
});

Deno.test("run() does not try for ever where something takes connections and closes them", async () => {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const closing = (async () => {
    for await (const connection of listener) connection.close();
  })();
  const url = `postgres://u:pg-s3cret@127.0.0.1:${listener.addr.port}/x`;
  const { exitCode, errors } = await cli(url, ["failed"]);
  listener.close();
  await closing;
  assertEquals(exitCode, 1);
  assertMatch(errors, /^Cannot use the database: no answer within 3000 ms; .*\n$/);
});

Deno.test("run() names a wrong password's user and not the password", async () => {
  await using database = await testDatabase();
  const url = new URL(database.url);
  url.username = "nobody";
  url.password = "pg-s3cret";
  const { exitCode, errors } = await cli(url.href, ["jobs"]);
  assertEquals(exitCode, 1);
  assertMatch(errors, /^Cannot use the database: .*nobody.*\n$/);
  assert(!errors.includes("pg-s3cret"));
});

Deno.test("run() names the command that helps a database without tables", async () => {
  await using database = await testDatabase();
  await database.sql`drop table jobs, events, schedules, alerts, migrations cascade`;
  for (const args of [["failed"], ["events"], ["status"], ["job", "1"], ["replay", "1"]]) {
    const { exitCode, errors } = await cli(database.url, args);
    assertEquals(exitCode, 1, `${args}`);
    assertStringIncludes(errors, "run `hookwork migrate`");
  }
});

Deno.test("run() ends with 78 and names every missing variable when the configuration is unfit", async () => {
  const { exitCode, errors } = await cli({ PORT: "none" }, ["status"]);
  assertEquals(exitCode, 78);
  for (const name of ["DATABASE_URL", "PORT", "SITE_WEBHOOK_SECRET"]) {
    assertStringIncludes(errors, name);
  }
});

Deno.test("run() gives one JSON document for each list, also for an empty one", async () => {
  await using database = await testDatabase();
  for (const args of [["failed"], ["jobs"], ["events"]]) {
    const { exitCode, output } = await cli(database.url, [...args, "--json"]);
    assertEquals({ exitCode, value: JSON.parse(output) }, { exitCode: 0, value: [] });
  }
  const { output } = await cli(database.url, ["--json", "status"]);
  assertEquals(Object.keys(JSON.parse(output)), [
    "warnings",
    "counts",
    "due",
    "running",
    "held",
    "schedules",
  ]);
});

Deno.test("run() leaves standard output empty when a command fails, so that --json is JSON or nothing", async () => {
  await using database = await testDatabase();
  const { exitCode, output, errors } = await cli(database.url, ["job", "5", "--json"]);
  assertEquals({ exitCode, output }, { exitCode: 1, output: "" });
  assertEquals(errors, "Cannot show job 5: there is no such job\n");
});
