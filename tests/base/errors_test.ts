import { assertEquals, assertMatch, assertStringIncludes, fail } from "@std/assert";
import * as z from "zod";
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

Deno.test("describeError() survives errors made to break it", () => {
  const throwing = new Error("x");
  Object.defineProperty(throwing, "message", { get: () => fail() });
  const symbolic = Object.assign(new Error(), { message: Symbol("odd") });
  const custom = { [Symbol.for("Deno.customInspect")]: () => fail() };
  const revoked = Proxy.revocable(new Error("x"), {});
  revoked.revoke();
  assertEquals(describeError(symbolic), "Symbol(odd)");
  for (const error of [throwing, custom, revoked.proxy]) {
    assertEquals(describeError(error), "an error that cannot be shown");
  }
});

Deno.test("describeError() says in one line all that does not fit a schema", () => {
  const { error } = z.object({ order: z.string(), sums: z.array(z.int()) })
    .safeParse({ sums: [1, 0.5] });
  const text = describeError(error);
  assertMatch(text, /^order: Invalid input: expected string, received undefined; sums\.1: [^\n]+$/);
});

Deno.test("a ConfigError holds every problem and shows each on its own line", () => {
  const error = new ConfigError(["PORT is missing", "HOST is missing"]);
  assertEquals(error.problems.length, 2);
  assertStringIncludes(error.message, "2 problem(s)\n- PORT is missing\n- HOST is missing");
});
