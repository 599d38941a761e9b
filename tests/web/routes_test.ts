import { assert, assertEquals, assertMatch } from "@std/assert";
import { recording, SECRET_PATH, secretive, signed, signingWith, testReceiver } from "./support.ts";

const BODY = '{"id":"e1"}';
const delivered = { method: "POST", body: BODY, headers: signed(BODY) };

Deno.test("/health says that the process lives, also when the database does not", async () => {
  await using receiver = testReceiver();
  const response = await receiver.fetch("/health");
  assertEquals([response.status, await response.json()], [200, { alive: true }]);
});

Deno.test("/health of a receiver that is about to stop is a 503, so that its proxy turns to another one", async () => {
  await using receiver = testReceiver({ isDraining: () => true });
  const response = await receiver.fetch("/health");
  assertEquals([response.status, await response.json()], [503, { alive: true, draining: true }]);
  assertEquals((await receiver.fetch("/hooks/signing", delivered)).status, 202);
});

Deno.test("/ready says 503 and what is wrong when the database cannot be reached", async () => {
  await using receiver = testReceiver();
  const response = await receiver.fetch("/ready");
  assertEquals(response.status, 503);
  const { ready, problems } = await response.json();
  assertEquals(ready, false);
  assertMatch(problems[0], /database/);
});

Deno.test("any path but the exact one is 404 and never a redirect, which would lose the body", async () => {
  await using receiver = testReceiver();
  const paths = [
    "/",
    "/hooks",
    "/hooks/",
    "/hooks/unknown",
    "/hooks/signing/",
    "/hooks//signing",
    "//hooks/signing",
    "/Hooks/signing",
    "/hooks/SIGNING",
    "/hooks/signing/more",
    "/hooks/%73igning",
    "/hooks/signing%00",
    "/hooks/%E0%A4%A",
    "/hooks/__proto__",
    "/hooks/constructor",
  ];
  for (const path of paths) {
    const response = await receiver.fetch(path, delivered);
    assertEquals([response.status, response.headers.get("location")], [404, null], path);
  }
  assertEquals(receiver.stored, []);
});

Deno.test("an unknown source and an unknown path cannot be told apart", async () => {
  await using receiver = testReceiver();
  const source = await receiver.fetch("/hooks/unknown", delivered);
  const path = await receiver.fetch("/unknown", delivered);
  assertEquals(await source.text(), await path.text());
});

Deno.test("an unexpected error is a 500 whose stack only the operator sees", async () => {
  const source = signingWith({
    accepted() {
      throw new Error("the template is missing");
    },
  });
  await using receiver = testReceiver({ source });
  const response = await receiver.fetch("/hooks/signing?token=t0ken", delivered);
  assertEquals(response.status, 500);
  const text = await response.text();
  assert(!text.includes("template") && !text.includes(".ts"), text);
  const line = receiver.app.lines.find((line) => line.level === "error");
  assertMatch(String(line?.properties.stack), /template is missing[^]*\.ts/);
  assert(!JSON.stringify(line).includes("t0ken"));
});

Deno.test("an unexpected error behind a secret path does not write the secret into the log", async () => {
  const source = {
    ...secretive,
    accepted() {
      throw new Error("the template is missing");
    },
  };
  await using receiver = testReceiver({ source });
  const response = await receiver.fetch(`/hooks/signing/${SECRET_PATH}`, delivered);
  assertEquals(response.status, 500);
  const line = receiver.app.lines.find((line) => line.level === "error");
  assertEquals(line?.properties.path, "/hooks/signing/***");
  assert(!JSON.stringify(receiver.app.lines).includes(SECRET_PATH));
});

Deno.test("a source hears who sent a delivery from a trusted proxy only, since anybody can name another address", async () => {
  const headers = { ...delivered.headers, "x-forwarded-for": "198.51.100.1, 203.0.113.9" };
  const remotes = [];
  for (const TRUSTED_PROXIES of ["", "192.0.2.0/24"]) {
    const { source, seen } = recording();
    await using receiver = testReceiver({ source, env: { TRUSTED_PROXIES } });
    await receiver.fetch("/hooks/signing", { ...delivered, headers });
    remotes.push(seen[0]?.remote);
  }
  assertEquals(remotes, ["192.0.2.7", "203.0.113.9"]);
});
