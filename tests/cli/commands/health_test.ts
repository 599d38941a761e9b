import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { freePort } from "../../support/process.ts";
import { cli, environment } from "../support.ts";

/** Lives, and cannot store deliveries. */
function startReceiver() {
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, (request) => {
    const isAlive = new URL(request.url).pathname.endsWith("/health");
    return new Response(isAlive ? "alive" : "no database", { status: isAlive ? 200 : 503 });
  });
  return { port: server.addr.port, [Symbol.asyncDispose]: () => server.shutdown() };
}

Deno.test("health asks the receiver of HOST and PORT, and needs no other setting to do so", async () => {
  await using receiver = startReceiver();
  const given = { HOST: "0.0.0.0", PORT: `${receiver.port}` };
  const { exitCode, output } = await cli(given, ["health"]);
  assertEquals(exitCode, 0);
  assertEquals(output, `GET http://127.0.0.1:${receiver.port}/health\n200\nalive\n`);
});

Deno.test("health --ready ends with 1 where deliveries cannot be stored although the receiver lives", async () => {
  await using receiver = startReceiver();
  const url = `http://127.0.0.1:${receiver.port}/behind/a/proxy`;
  const { exitCode, output } = await cli({}, ["health", "--ready", "--url", url]);
  assertEquals(exitCode, 1);
  assertStringIncludes(output, "/behind/a/proxy/ready\n503\nno database\n");
});

Deno.test("health ends with 1 and one line where nobody listens", async () => {
  const given = { ...environment("postgres://u@127.0.0.1:1/x"), PORT: `${freePort()}` };
  const { exitCode, output, errors } = await cli(given, ["health"]);
  assertEquals({ exitCode, output }, { exitCode: 1, output: "" });
  assert(/^Cannot ask the receiver how it is: 127\.0\.0\.1:\d+: .*\n$/.test(errors), errors);
});

Deno.test("health ends with 78 where the settings do not tell where the receiver is", async () => {
  const { exitCode, errors } = await cli({ PORT: "http" }, ["health"]);
  assertEquals(exitCode, 78);
  assertStringIncludes(errors, "PORT must be a whole number");
});
