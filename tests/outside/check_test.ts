import { assert, assertEquals, assertInstanceOf, assertThrows } from "@std/assert";
import { PermanentError, TemporaryError } from "../../lib/base/errors.ts";
import { check, type Exceptions, isPermanent } from "../../lib/outside/check.ts";
import type { Answer } from "../../lib/outside/http.ts";

const answer = (status: number, headers: Record<string, string> = {}): Answer => ({
  status,
  headers: new Headers(headers),
  body: new Uint8Array(),
  json: () => undefined,
});

function thrownFor(status: number, exceptions?: Exceptions): "permanent" | "temporary" {
  const error = assertThrows(() => check(answer(status), "try", exceptions));
  if (error instanceof PermanentError) return "permanent";
  assertInstanceOf(error, TemporaryError);
  return "temporary";
}

Deno.test("check() gives up what stays wrong and retries what may pass, status by status (rule 13)", () => {
  for (const status of [300, 304, 307, 400, 401, 403, 404, 409, 410, 423, 499]) {
    assertEquals(thrownFor(status), "permanent", `${status}`);
    assertEquals(isPermanent(status), true, `${status}`);
  }
  for (const status of [408, 425, 429, 500, 502, 503, 504, 599, 100]) {
    assertEquals(thrownFor(status), "temporary", `${status}`);
    assertEquals(isPermanent(status), false, `${status}`);
  }
});

Deno.test("check() lets every success pass, also one without a body", () => {
  for (const status of [200, 201, 202, 204, 299]) {
    const success = answer(status);
    assertEquals(check(success, "try"), success);
  }
});

Deno.test("check() follows a service that means something else by a status", () => {
  assertEquals(thrownFor(409, { temporary: [409] }), "temporary");
  assertEquals(thrownFor(429, { permanent: [429] }), "permanent");
  assertEquals(thrownFor(503, { permanent: [503] }), "permanent");
  assertEquals(thrownFor(404, { temporary: [409] }), "permanent");
});

Deno.test("check() hands on the pause that was asked for, and none that was not", () => {
  const pauseOf = (headers: Record<string, string>) =>
    assertThrows(() => check(answer(429, headers), "try"), TemporaryError).retryAfterSeconds;
  assertEquals(pauseOf({ "retry-after": "34" }), 34);
  assertEquals(pauseOf({}), undefined);
  assertEquals(pauseOf({ "retry-after": "soon" }), undefined);
});

Deno.test("check() names where a redirect leads, but neither its query nor its credentials (rule 13)", () => {
  const messageOf = (location?: string) =>
    assertThrows(() => check(answer(302, location ? { location } : {}), "try"), PermanentError)
      .message;
  const message = messageOf("https://name:SECRET@other.example/new?key=SECRET#SECRET");
  assert(message.includes("https://other.example/new"), message);
  assert(!message.includes("SECRET"), message);
  assert(messageOf("/relative?key=SECRET").includes(" /relative;"), messageOf("/relative"));
  assert(messageOf().includes("nowhere"), messageOf());
});

Deno.test("check() says what could not be done and with which status", () => {
  assertThrows(() => check(answer(404), "find a deal"), PermanentError, "Cannot find a deal");
  assertThrows(() => check(answer(503), "find a deal"), TemporaryError, "503");
});
