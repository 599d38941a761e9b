/** What the stand-ins in `jsr/` promise; the real packages pass the same tests. */

import {
  assert,
  assertEquals,
  assertExists,
  assertFalse,
  assertGreaterOrEqual,
  assertInstanceOf,
  AssertionError,
  assertLess,
  assertMatch,
  assertNotEquals,
  assertNotMatch,
  assertNotStrictEquals,
  assertObjectMatch,
  assertRejects,
  assertStrictEquals,
  assertStringIncludes,
  assertThrows,
  equal,
  fail,
  unreachable,
} from "@std/assert";
import { timingSafeEqual } from "@std/crypto/timing-safe-equal";
import { STATUS_CODE, STATUS_TEXT } from "@std/http/status";
import { type Route, route } from "@std/http/unstable-route";

const EQUAL: [unknown, unknown][] = [
  [0, -0],
  [NaN, NaN],
  [{ a: [1, { b: 2 }], c: "x" }, { c: "x", a: [1, { b: 2 }] }],
  [new Map([["a", { n: 1 }]]), new Map([["a", { n: 1 }]])],
  [new Set([{ n: 1 }, { n: 2 }]), new Set([{ n: 2 }, { n: 1 }])],
  [new Date(5), new Date(5)],
  [new Date(NaN), new Date(NaN)],
  [new Uint8Array([1, 2]), new Uint8Array([1, 2])],
  [new Uint8Array([1, 2]).buffer, new Uint8Array([1, 2]).buffer],
  [/a/g, /a/g],
  [new URL("http://a/b"), new URL("http://a/b")],
  [Temporal.Instant.from("2026-01-01T00:00Z"), Temporal.Instant.from("2026-01-01T00:00Z")],
  [Object.assign(Object.create(null), { a: 1 }), { a: 1 }],
];

const DIFFERENT: [unknown, unknown][] = [
  [1, "1"],
  [1, 1n],
  [null, undefined],
  [{ a: undefined }, {}],
  [{ a: undefined }, { b: undefined }],
  [[1, 2], [1, 2, 3]],
  [[1], { 0: 1 }],
  [new Map([["a", 1]]), new Map([["a", 2]])],
  [new Map([["a", 1]]), new Map([["b", 1]])],
  [new Set([1]), new Set([2])],
  [new Date(5), new Date(6)],
  [new Uint8Array([1, 2]), new Uint8Array([1, 3])],
  [new Uint8Array([1]), [1]],
  [/a/g, /a/i],
  [new URL("http://a/b"), new URL("http://a/c")],
  [Temporal.Instant.from("2026-01-01T00:00Z"), Temporal.Instant.from("2026-01-02T00:00Z")],
  [new (class A {})(), new (class B {})()],
  [() => 1, () => 1],
];

Deno.test("equal() compares by type and content", () => {
  for (const [a, b] of EQUAL) assert(equal(a, b), Deno.inspect([a, b]));
  for (const [a, b] of DIFFERENT) assert(!equal(a, b), Deno.inspect([a, b]));
});

Deno.test("equal() ends on values that contain themselves", () => {
  const circle = () => {
    const value: Record<string, unknown> = { n: 1 };
    value.self = value;
    return value;
  };
  assert(equal(circle(), circle()));
  assert(!equal(circle(), { ...circle(), n: 2 }));
});

Deno.test("assertEquals() shows which lines differ, and the caller's message", () => {
  const text = messageOf(() => assertEquals({ a: 1, b: ["same"] }, { a: 2, b: ["same"] }, "why"));
  assertStringIncludes(text, "Values are not equal: why");
  assertMatch(text, /^- +a: 1,$/m);
  assertMatch(text, /^\+ +a: 2,$/m);
  assertMatch(text, /^ +"same",$/m);
  assertStringIncludes(messageOf(() => assertEquals(1, 2)), "Values are not equal.");
  assertStringIncludes(
    messageOf(() => assertEquals("one\ntwo", "one\n2")),
    "Values are not equal.",
  );
});

Deno.test("assertNotEquals(), assertStrictEquals() and assertNotStrictEquals() tell content from identity", () => {
  const one = { n: 1 };
  assertNotEquals(one, { n: 2 });
  assertStrictEquals(one, one);
  assertNotStrictEquals(one, { n: 1 });
  assertMatch(messageOf(() => assertNotEquals(one, { n: 1 }, "why")), /not to be: .*why$/s);
  assertStringIncludes(messageOf(() => assertStrictEquals(one, { n: 1 })), "not reference-equal.");
  assertStringIncludes(messageOf(() => assertStrictEquals(0, -0)), "");
  assertStringIncludes(messageOf(() => assertStrictEquals(1, 2)), "Values are not strictly equal.");
  assertStringIncludes(
    messageOf(() => assertNotStrictEquals(1, 1)),
    "to not be strictly equal to: 1.",
  );
});

Deno.test("assertObjectMatch() looks only at the keys it is asked about", () => {
  const actual = {
    id: 7,
    at: new Date(5),
    list: [{ a: 1, b: 2 }, 3],
    map: new Map([["k", 1], ["l", 2]]),
  };
  assertObjectMatch(actual, { id: 7, list: [{ a: 1 }] });
  assertObjectMatch(actual, { at: new Date(5), map: new Map([["k", 1]]) });
  assertObjectMatch(actual, {});
  messageOf(() => assertObjectMatch(actual, { id: 8 }));
  messageOf(() => assertObjectMatch(actual, { missing: 1 }));
  messageOf(() => assertObjectMatch(actual, { id: 7, missing: 1 }));
  messageOf(() => assertObjectMatch(actual, { list: [{ a: 2 }] }));
  messageOf(() => assertObjectMatch(actual, { list: [{ a: 1 }, 3, 4] }));
  messageOf(() => assertObjectMatch(actual, { at: new Date(6) }));
});

Deno.test("the plain assertions pass what holds and refuse what does not", () => {
  assert(1);
  assertFalse(0);
  assertExists(0);
  assertMatch("abc", /b/);
  assertNotMatch("abc", /z/);
  assertStringIncludes("abc", "bc");
  assertInstanceOf(new TypeError(), Error);
  assertLess(1, 2);
  assertGreaterOrEqual(2, 2);
  assertEquals(messageOf(() => assert(0)), "");
  assertEquals(messageOf(() => assert(0, "why")), "why");
  assertEquals(messageOf(() => fail()), "Failed assertion.");
  assertEquals(messageOf(() => fail("why")), "Failed assertion: why");
  assertEquals(messageOf(() => unreachable()), "Unreachable.");
  assertEquals(messageOf(() => assertLess(2, 1)), "Expect 2 < 1");
  assertEquals(messageOf(() => assertGreaterOrEqual(1, 2)), "Expect 1 >= 2");
  assertStringIncludes(messageOf(() => assertExists(null)), '"null" to not be null or undefined.');
  assertStringIncludes(messageOf(() => assertMatch("abc", /z/)), 'to match: "/z/".');
  assertStringIncludes(messageOf(() => assertNotMatch("abc", /a/)), 'to not match: "/a/".');
  assertStringIncludes(messageOf(() => assertStringIncludes("abc", "z")), 'to contain: "z".');
  assertStringIncludes(
    messageOf(() => assertInstanceOf(1, Error)),
    'instance of "Error" but was "number".',
  );
});

Deno.test("assertThrows() gives the error, and checks its class and message", () => {
  const boom = () => {
    throw new TypeError("bad input");
  };
  assertEquals(assertThrows(boom, TypeError, "bad").message, "bad input");
  assertInstanceOf(assertThrows(boom), TypeError);
  assertStringIncludes(
    messageOf(() => assertThrows(boom, RangeError)),
    '"RangeError", but was "TypeError".',
  );
  assertStringIncludes(
    messageOf(() => assertThrows(boom, Error, "good")),
    'include "good", but got "bad input".',
  );
  assertEquals(messageOf(() => assertThrows(() => {})), "Expected function to throw.");
  assertEquals(messageOf(() => assertThrows(() => {}, "why")), "Expected function to throw: why");
});

Deno.test("assertRejects() wants a rejected promise, not a throw and not a value", async () => {
  const boom = () => Promise.reject(new TypeError("bad input"));
  const refusal = async (promise: Promise<unknown>) =>
    (await assertRejects(() => promise, AssertionError)).message;
  assertEquals((await assertRejects(boom, TypeError, "bad")).message, "bad input");
  assertStringIncludes(await refusal(assertRejects(boom, RangeError)), "RangeError");
  assertStringIncludes(await refusal(assertRejects(boom, Error, "good")), '"good"');
  assertEquals(
    await refusal(assertRejects(() => Promise.resolve(1))),
    "Expected function to reject.",
  );
  assertStringIncludes(
    await refusal(assertRejects(() => {
      throw new Error("early");
    })),
    "Function throws when expected to reject.",
  );
});

Deno.test("timingSafeEqual() answers false for unequal lengths instead of throwing", () => {
  const bytes = (text: string) => new TextEncoder().encode(text);
  assert(timingSafeEqual(bytes("secret"), bytes("secret")));
  assert(timingSafeEqual(bytes("xsecret").subarray(1), bytes("secret")));
  assert(timingSafeEqual(bytes("secret").buffer, new DataView(bytes("secret").buffer)));
  assert(timingSafeEqual(bytes(""), bytes("")));
  assert(!timingSafeEqual(bytes("secret"), bytes("secreT")));
  assert(!timingSafeEqual(bytes("secret"), bytes("secrets")));
});

Deno.test("STATUS_CODE and STATUS_TEXT name each other", () => {
  assertEquals(STATUS_CODE.Accepted, 202);
  assertEquals(STATUS_CODE.ContentTooLarge, 413);
  assertEquals(STATUS_TEXT[STATUS_CODE.NotFound], "Not Found");
  assertEquals(STATUS_TEXT[418], "I'm a teapot");
  assertEquals(Object.keys(STATUS_CODE).length, 62);
  assertEquals(Object.values(STATUS_CODE).map(String), Object.keys(STATUS_TEXT));
});

Deno.test("route() gives a request to the first route whose pattern and method fit", async () => {
  const say = (text: string) => () => new Response(text);
  const path = (pathname: string) => new URLPattern({ pathname });
  const routes: Route[] = [
    { pattern: path("/a"), method: "post", handler: say("posted") },
    { pattern: path("/a"), method: ["GET", "HEAD"], handler: say("read") },
    { pattern: path("/u/:id"), handler: (_, params) => new Response(params.pathname.groups.id) },
    { pattern: path("/u/*"), handler: say("never for /u/x") },
  ];
  const handler = route(routes, say("none"));
  const ask = async (method: string, path: string) =>
    await (await handler(new Request(`http://h${path}`, { method }))).text();
  assertEquals(await ask("POST", "/a"), "posted");
  assertEquals(await ask("GET", "/a?q=1"), "read");
  assertEquals(await ask("DELETE", "/a"), "none");
  assertEquals(await ask("DELETE", "/u/x"), "x");
  assertEquals(await ask("GET", "/u/x/y"), "never for /u/x");
  assertEquals(await ask("GET", "/zzz"), "none");
});

/** The message of the assertion that fails, without colors. */
function messageOf(failing: () => unknown): string {
  // deno-lint-ignore no-control-regex
  return assertThrows(failing, AssertionError).message.replaceAll(/\x1b\[[0-9;]*m/g, "");
}
