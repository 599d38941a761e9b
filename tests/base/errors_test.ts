import { assertEquals, assertStringIncludes } from "@std/assert";
import { ConfigError, describeError, PermanentError } from "../../lib/base/errors.ts";

Deno.test("describeError() tells an error and its causes, without a stack", () => {
  const error = new Error("cannot send", { cause: new Error("refused", { cause: "no route" }) });
  assertEquals(describeError(error), "cannot send: refused: no route");
});

Deno.test("describeError() falls back to the name of an error that says nothing", () => {
  assertEquals(describeError(new PermanentError()), "PermanentError");
});

for (
  const [thrown, text] of [
    ["a text", "a text"],
    [undefined, "undefined"],
    [null, "null"],
    [17, "17"],
    [Symbol("odd"), "Symbol(odd)"],
    [{ code: 5 }, "{ code: 5 }"],
    [Object.create(null), "[Object: null prototype] {}"],
  ]
) {
  Deno.test(`describeError() takes what is no error: ${text}`, () => {
    assertEquals(describeError(thrown), text);
  });
}

Deno.test("describeError() ends where an error is its own cause", () => {
  const error = new Error("round");
  error.cause = error;
  assertEquals(describeError(error), Array(6).fill("round").join(": "));
});

Deno.test("a ConfigError holds every problem and shows each on its own line", () => {
  const error = new ConfigError(["PORT is missing", "HOST is missing"]);
  assertEquals(error.problems.length, 2);
  assertStringIncludes(error.message, "2 problem(s)\n- PORT is missing\n- HOST is missing");
});
