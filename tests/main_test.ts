import { assertEquals, assertMatch } from "@std/assert";
import { createHmac } from "node:crypto";
import { randomSettings } from "../demo/settings.ts";
import { version } from "../lib/version.ts";
import { testDatabase } from "./support/database.ts";
import { startProcess } from "./support/process.ts";
import { until } from "./support/until.ts";
import { isRefused } from "./web/wire.ts";

const SECRET = "the key of the tests";
const environment = {
  ...randomSettings(),
  PORT: "0",
  SITE_WEBHOOK_SECRET: SECRET,
  // Nobody listens there: no test may reach the real one.
  TELEGRAM_API: "http://127.0.0.1:1",
  HEARTBEAT_URL: "http://127.0.0.1:1",
};

function startMain(env: Record<string, string>, ready?: RegExp, ...given: string[]) {
  const permissions = ["--allow-net=127.0.0.1", "--allow-env", "--allow-read", "--allow-sys"];
  const args = ["run", "--no-prompt", ...permissions, "main.ts", ...given];
  return startProcess({ name: "main.ts", args, env, ready });
}

Deno.test("main.ts says its version without a setting, and ends with 2 on any other argument instead of ignoring it", async () => {
  await using asked = await startMain({}, undefined, "--version");
  assertEquals(await asked.exit, 0);
  assertEquals(asked.lines, [`hookwork-receiver ${version}`]);
  for (const given of [["--port", "8081"], ["--version", "--verbose"], [""]]) {
    await using refused = await startMain({}, undefined, ...given);
    assertEquals(await refused.exit, 2);
    assertMatch(refused.lines.join("\n"), /takes settings and no arguments/);
  }
});

Deno.test("main.ts ends with 78 and names each missing setting instead of starting half", async () => {
  await using receiver = await startMain({});
  assertEquals(await receiver.exit, 78);
  const text = receiver.lines.join("\n");
  for (const name of ["DATABASE_URL", "SITE_WEBHOOK_SECRET"]) assertMatch(text, new RegExp(name));
});

Deno.test("main.ts told to end answers the delivery it is storing, then exits with 0", async () => {
  await using database = await testDatabase();
  const env = { ...environment, DATABASE_URL: database.url };
  await using receiver = await startMain(env, /"message":"listening"/);
  const { port } = JSON.parse(await receiver.waitFor(/"message":"listening"/));
  const body = '{"id":"e1"}';
  const signature = createHmac("sha256", SECRET).update(body).digest("hex");
  const headers = { "x-signature": `sha256=${signature}` };
  const locked = Promise.withResolvers<void>();
  const deliver = async () => {
    await locked.promise;
    const init = { method: "POST", body, headers };
    return await fetch(`http://127.0.0.1:${port}/hooks/site`, init);
  };
  // The lock keeps the delivery from being stored until the receiver has heard the signal.
  const endWhileStoring = database.sql.begin(async (sql) => {
    await sql`lock table events in access exclusive mode`;
    locked.resolve();
    await until("the delivery waits for the lock", async () => {
      const waiting = await database.sql`
        select from pg_locks where relation = 'events'::regclass and not granted
      `;
      return waiting.length > 0;
    });
    receiver.kill("SIGTERM");
    await until("the receiver stops listening", () => isRefused(port));
  });
  const [response] = await Promise.all([deliver(), endWhileStoring]);
  assertEquals([response.status, (await response.json()).jobs], [202, 1]);
  assertEquals(await receiver.exit, 0);
});

Deno.test("main.ts whose port is taken ends with 1 and says which, so that a supervisor tries again", async () => {
  using taken = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = taken.addr as Deno.NetAddr;
  const env = { ...environment, DATABASE_URL: "postgres://127.0.0.1:1/x", PORT: `${port}` };
  await using receiver = await startMain(env);
  assertEquals(await receiver.exit, 1);
  assertMatch(receiver.lines.join("\n"), new RegExp(`Cannot listen on 127.0.0.1:${port}`));
});
