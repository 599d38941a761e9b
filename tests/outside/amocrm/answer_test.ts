import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { z } from "zod";
import { OutcomeUnknownError, PermanentError, TemporaryError } from "../../../lib/base/errors.ts";
import { TokenRefusedError, valueOf } from "../../../lib/outside/amocrm/answer.ts";
import type { Answer } from "../../../lib/outside/http.ts";

const TOKEN = "token-of-the-account";
const schema = z.object({ id: z.number() });
const page = "<html><body>Forbidden</body></html>";

function answerOf(status: number, said?: unknown, headers: Record<string, string> = {}): Answer {
  const text = said === undefined ? "" : typeof said === "string" ? said : JSON.stringify(said);
  const json = typeof said === "object" ? said : undefined;
  const body = new TextEncoder().encode(text);
  return { status, headers: new Headers(headers), body, json: () => json };
}

function understood(answer: Answer, parts: { creates?: boolean; hasOther?: boolean } = {}) {
  const asked = { what: "try", creates: false, hasOther: false, secret: TOKEN, schema };
  return valueOf(answer, { ...asked, ...parts });
}

function errorOf(answer: Answer, parts: { creates?: boolean; hasOther?: boolean } = {}) {
  return assertThrows(() => understood(answer, parts), Error) as Error & {
    lane?: string;
    retryAfterSeconds?: number;
  };
}

Deno.test("An answer holds what was asked for, whatever else is in it", () => {
  assertEquals(understood(answerOf(200, { id: 1, new_field: true })), { id: 1 });
  assertEquals(understood(answerOf(201, { id: 1 })), { id: 1 });
});

Deno.test("204 and a 404 in the API's own words mean that nothing was found; a page with 404 does not", () => {
  assertEquals(understood(answerOf(204)), undefined);
  assertEquals(understood(answerOf(404, { title: "Not Found", status: 404 })), undefined);
  assertStringIncludes(errorOf(answerOf(404, page)).message, "404");
});

Deno.test("To create something on what is not there is a failure of that job, and never a success", () => {
  for (const answer of [answerOf(204), answerOf(404, { title: "Not Found" })]) {
    const error = errorOf(answer, { creates: true });
    assertEquals([error.name, error.lane], ["PermanentError", undefined]);
  }
});

Deno.test("Each refusal says what it concerns: the lane, or the job alone (F110, F133)", () => {
  const foreign = { title: "Forbidden", status: 403, code: 113 };
  const rights = { title: "Forbidden", status: 403, detail: "Administrator rights are needed" };
  const wait = { "retry-after": "30" };
  const refusals: [Answer, string, string | undefined, number?][] = [
    [answerOf(401, { title: "Unauthorized" }), "PermanentError", "amocrm"],
    [answerOf(402, { title: "Payment Required" }), "PermanentError", "amocrm"],
    [answerOf(403, page), "PermanentError", "amocrm"],
    [answerOf(403), "PermanentError", "amocrm"],
    [answerOf(403, foreign), "PermanentError", "amocrm"],
    [answerOf(403, rights), "PermanentError", undefined],
    [answerOf(301, page, { location: "https://new.amocrm.ru/api/v4" }), "PermanentError", "amocrm"],
    [answerOf(429, page), "TemporaryError", "amocrm", 10],
    [answerOf(429, page, wait), "TemporaryError", "amocrm", 30],
    [answerOf(429, { retry_after: 300 }), "TemporaryError", "amocrm", 300],
    [answerOf(503, page, wait), "TemporaryError", "amocrm", 30],
    [answerOf(503, page), "TemporaryError", undefined],
    [answerOf(504, page), "TemporaryError", undefined],
    [answerOf(502, page), "TemporaryError", undefined],
    [answerOf(400, { title: "Bad Request" }), "PermanentError", undefined],
    [answerOf(422, { title: "Unprocessable Entity" }), "PermanentError", undefined],
  ];
  for (const [answer, name, lane, seconds] of refusals) {
    const error = errorOf(answer);
    assertEquals(
      [error.name, error.lane, error.retryAfterSeconds],
      [name, lane, seconds],
      error.message,
    );
  }
});

Deno.test("401 says nothing of the lane as long as there is another token to try with", () => {
  const error = errorOf(answerOf(401, { title: "Unauthorized" }), { hasOther: true });
  assertEquals([error instanceof TokenRefusedError, error.lane], [true, undefined]);
});

Deno.test("A page with 200 is no data, and an unfamiliar form is a failure that names the place", () => {
  const error = errorOf(answerOf(200, page));
  assertEquals([error.name, error.lane], ["TemporaryError", undefined]);
  const odd = errorOf(answerOf(200, { id: "x" }));
  assertEquals(odd.name, "PermanentError");
  assertStringIncludes(odd.message, "id: ");
});

Deno.test("Whatever leaves open whether something was created is put before a person or an effect's look (F134)", () => {
  for (
    const answer of [answerOf(504, page), answerOf(500), answerOf(200, page), answerOf(200, {})]
  ) {
    const error = errorOf(answer, { creates: true });
    assertEquals(error instanceof OutcomeUnknownError, true, error.message);
  }
  for (const answer of [answerOf(429, page), answerOf(503, page)]) {
    assertEquals(errorOf(answer, { creates: true }) instanceof TemporaryError, true);
  }
});

Deno.test("A refusal tells each part that was not taken, the request's number, and no token", () => {
  const invalid = [{
    request_id: "0",
    errors: [{ path: "note_type", code: "x", detail: "No choice" }],
  }];
  const said = {
    title: "Bad Request",
    detail: `Request validation failed for ${TOKEN}`,
    "validation-errors": invalid,
  };
  const error = errorOf(answerOf(400, said, { "x-request-id": "0b9f-11aa" }));
  assertEquals(error instanceof PermanentError, true);
  assertEquals(
    error.message,
    "Cannot try: amoCRM answered 400, Request validation failed for ***; note_type: No choice (request 0b9f-11aa); " +
      "see what was asked for",
  );
});

Deno.test("A refusal of any form is told, however odd: no second error hides the first", () => {
  const odd = [{ detail: { a: 1 } }, { "validation-errors": "x" }, { code: "abc" }, [], "null"];
  for (const said of odd) {
    assertStringIncludes(errorOf(answerOf(400, said)).message, "400", JSON.stringify(said));
  }
  const long = errorOf(answerOf(400, { detail: `\u001b[2J${"x".repeat(10_000)}` })).message;
  assertEquals([long.length < 500, long.includes("\u001b")], [true, false]);
});
