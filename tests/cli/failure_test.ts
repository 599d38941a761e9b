import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { ConfigError, RefusedError, TemporaryError } from "../../lib/base/errors.ts";
import { explainFailure } from "../../lib/cli/failure.ts";
import { StatementDeadlineError } from "../../lib/db/db.ts";

const withCode = (code: string, message: string) => Object.assign(new Error(message), { code });

Deno.test("explainFailure() tells a configuration that is unfit apart: restarting will not help", () => {
  const { exitCode, text } = explainFailure(new ConfigError(["PORT must be a whole number"]));
  assertEquals(exitCode, 78);
  assertStringIncludes(text, "PORT must be a whole number");
});

Deno.test("explainFailure() says in one line, without a stack, that the database is away", () => {
  const errors = [
    withCode("ECONNREFUSED", "connect ECONNREFUSED 127.0.0.1:5432"),
    withCode("CONNECT_TIMEOUT", "write CONNECT_TIMEOUT 127.0.0.1:5432"),
    new StatementDeadlineError("no answer within 3000 ms"),
  ];
  for (const error of errors) {
    assertEquals(explainFailure(error), {
      text: `Cannot use the database: ${error.message}; see DATABASE_URL and whether Postgres runs`,
      exitCode: 1,
    });
  }
});

Deno.test("explainFailure() says why even when the network's error has no message", () => {
  assertStringIncludes(
    explainFailure(withCode("ECONNREFUSED", "")).text,
    "database: ECONNREFUSED;",
  );
});

Deno.test("explainFailure() shows no stack of what was foreseen, and the causes of it", () => {
  const refused = new RefusedError("Cannot replay event 1", { cause: new Error("no JSON") });
  assertEquals(explainFailure(refused), { text: "Cannot replay event 1: no JSON", exitCode: 1 });
  assertEquals(explainFailure(new TemporaryError("it may pass")).text, "it may pass");
});

Deno.test("explainFailure() shows the stack of what nobody foresaw, for whoever has to mend it", () => {
  const { text, exitCode } = explainFailure(new TypeError("x is undefined"));
  assertEquals(exitCode, 1);
  assert(/TypeError: x is undefined\n\s+at /.test(text), text);
  assertStringIncludes(explainFailure("thrown text").text, "thrown text");
});
