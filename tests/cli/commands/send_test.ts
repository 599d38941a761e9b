import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { createHmac } from "node:crypto";
import { loadConfig } from "../../../lib/base/config.ts";
import { renderSent, send } from "../../../lib/cli/commands/send.ts";
import { sourceOf } from "../../support/sources.ts";
import { cli, environment } from "../support.ts";

const NO_DATABASE = "postgres://u@127.0.0.1:1/x";

/** Answers every request alike, and keeps the last one. */
function startReceiver(status: number) {
  const got = { path: "", signature: "", body: "" };
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    async (request) => {
      got.path = new URL(request.url).pathname;
      got.signature = request.headers.get("x-signature") ?? "";
      got.body = await request.text();
      return new Response('{"id":"1"}\x1b[2J', { status });
    },
  );
  return { got, port: server.addr.port, [Symbol.asyncDispose]: () => server.shutdown() };
}

Deno.test("send delivers a sample that the receiver can prove, to the port of the configuration", async () => {
  await using receiver = startReceiver(202);
  const given = { ...environment(NO_DATABASE), HOST: "0.0.0.0", PORT: `${receiver.port}` };
  const { exitCode, output } = await cli(given, ["send", "site"]);
  assertEquals(exitCode, 0);
  assertStringIncludes(output, `POST http://127.0.0.1:${receiver.port}/hooks/site\n202\n`);
  assertEquals(receiver.got.path, "/hooks/site");
  const hmac = createHmac("sha256", "site-s3cret").update(receiver.got.body).digest("hex");
  assertStringIncludes(receiver.got.signature, hmac);
});

Deno.test("send shows a refusal as one, with an answer whose controls are not obeyed", async () => {
  await using receiver = startReceiver(401);
  const url = `http://127.0.0.1:${receiver.port}/behind/a/proxy`;
  const { exitCode, output } = await cli(NO_DATABASE, ["send", "site", "--url", url]);
  assertEquals(exitCode, 1);
  assertStringIncludes(output, '401\n{"id":"1"}\\u001b[2J');
  assertEquals(receiver.got.path, "/behind/a/proxy/hooks/site");
});

Deno.test("send says in one line that nobody listens", async () => {
  const { exitCode, output, errors } = await cli(
    NO_DATABASE,
    ["send", "site", "--url", "http://127.0.0.1:1"],
  );
  assertEquals({ exitCode, output }, { exitCode: 1, output: "" });
  assert(/^Cannot send a sample to the receiver: .*\n$/.test(errors), errors);
});

Deno.test("send knows what a mistyped source was meant to be", async () => {
  const { exitCode, errors } = await cli(NO_DATABASE, ["send", "sites"]);
  assertEquals(exitCode, 1);
  assertStringIncludes(errors, "did you mean site?");
});

Deno.test("send asks for an address when any port may be the receiver's", async () => {
  const { exitCode, errors } = await cli({ ...environment(NO_DATABASE), PORT: "0" }, [
    "send",
    "site",
  ]);
  assertEquals(exitCode, 1);
  assertStringIncludes(errors, "--url");
});

Deno.test("send delivers to a secret path, and shows the address without it", async () => {
  await using receiver = startReceiver(202);
  const pathSecret = "0123456789abcdefghijABCDEFGHIJ_-";
  const source = sourceOf({ sample: () => ({ headers: {}, body: "a=1", pathSecret }) });
  const registry = {
    sources: new Map([["secretive", source]]),
    handlers: new Map(),
    schedules: [],
  };
  const config = loadConfig({ DATABASE_URL: NO_DATABASE, PORT: `${receiver.port}` });
  const sent = await send({ registry, config }, "secretive", {});
  assertEquals([receiver.got.path, receiver.got.body], [`/hooks/secretive/${pathSecret}`, "a=1"]);
  assertEquals(sent.url, `http://127.0.0.1:${receiver.port}/hooks/secretive/***`);
  assert(!renderSent(sent).includes(pathSecret));
});
