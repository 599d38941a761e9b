import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { PermanentError, TemporaryError } from "../../lib/base/errors.ts";
import { createPrintService } from "../../lib/contracts/print_service.ts";
import { serveHttp } from "../outside/servers.ts";
import { documentOf, outsideOf, signal } from "./support.ts";

const PDF = new TextEncoder().encode("%PDF-1.7\nprinted\n%%EOF\n");

function rendererAt(url: URL, deadlineSeconds = 10) {
  return createPrintService({ url: url.href, deadlineSeconds }, outsideOf());
}

Deno.test("The print service gets the contract as HTML, and its PDF comes back byte for byte", async () => {
  const got = { method: "", type: "", accept: "", body: "" };
  await using server = serveHttp(async (request) => {
    got.method = request.method;
    got.type = request.headers.get("content-type") ?? "";
    got.accept = request.headers.get("accept") ?? "";
    got.body = await request.text();
    return new Response(PDF);
  });
  assertEquals(await rendererAt(server.url).render(await documentOf(["- Пункт"]), signal), PDF);
  assertEquals([got.method, got.type, got.accept], [
    "POST",
    "text/html; charset=utf-8",
    "application/pdf",
  ]);
  assertStringIncludes(got.body, "Пункт");
});

const ANSWERS: Record<
  string,
  [Response, typeof PermanentError | typeof TemporaryError, string]
> = {
  "a page of a proxy with status 200": [
    new Response("<html>please wait</html>"),
    TemporaryError,
    "is no PDF",
  ],
  "a PDF that was cut off": [new Response(PDF.subarray(0, 12)), TemporaryError, "in the middle"],
  "an empty answer": [new Response(""), TemporaryError, "is no PDF"],
  "a busy service": [new Response("", { status: 503 }), TemporaryError, "503"],
  "a refusal": [new Response("", { status: 401 }), PermanentError, "401"],
  "a PDF of 32 MiB": [new Response(new Uint8Array(2 ** 25)), PermanentError, "bytes or more"],
};

for (const [what, [answer, type, message]] of Object.entries(ANSWERS)) {
  Deno.test(`${what} is not stored as a contract: ${type.name}`, async () => {
    await using server = serveHttp(() => answer);
    const document = await documentOf([]);
    await assertRejects(
      () => rendererAt(server.url).render(document, signal),
      type as typeof Error,
      message,
    );
  });
}

Deno.test("A print service that does not end is given up at its deadline, and tried again", async () => {
  const hanging = Promise.withResolvers<Response>();
  await using server = serveHttp(() => hanging.promise);
  const document = await documentOf([]);
  const printing = rendererAt(server.url, 0.1).render(document, signal);
  await assertRejects(() => printing, TemporaryError, "no whole answer in 0.1 s");
  hanging.resolve(new Response());
});
