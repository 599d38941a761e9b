import { assert, assertEquals, assertRejects } from "@std/assert";
import { PermanentError, TemporaryError } from "../../lib/base/errors.ts";
import { heartbeat } from "../../lib/handlers/heartbeat.ts";
import { serveHttp } from "../outside/servers.ts";
import { keptLog } from "../outside/support.ts";
import { fits, run } from "./support.ts";

const payload = { slot: "2026-11-30T17:00Z", late: false };
const withUrl = (url?: URL) => ({ settings: { HEARTBEAT_URL: url?.href } });

Deno.test("heartbeat without HEARTBEAT_URL logs its slot and calls nobody", async () => {
  const log = keptLog();
  await run(heartbeat, payload, { ...withUrl(), log });
  assert(log.lines.join().includes("2026-11-30T17:00Z"));
});

Deno.test("heartbeat calls HEARTBEAT_URL once, with GET, query included", async () => {
  const calls: string[] = [];
  await using monitor = serveHttp(({ method, url }) => {
    calls.push(`${method} ${new URL(url).pathname}${new URL(url).search}`);
    return new Response("OK");
  });
  await run(heartbeat, payload, withUrl(new URL("/ping/abc?from=hook", monitor.url)));
  assertEquals(calls, ["GET /ping/abc?from=hook"]);
});

Deno.test("heartbeat fails when the monitor did not take it, so that silence is not success", async () => {
  const statuses = [503, 404];
  await using monitor = serveHttp(() => new Response("no", { status: statuses.shift() }));
  const beat = () => run(heartbeat, payload, withUrl(monitor.url));
  await assertRejects(beat, TemporaryError, "503");
  await assertRejects(beat, PermanentError, "404");
});

Deno.test("heartbeat takes the payload of schedules and no other", () => {
  assertEquals(fits(heartbeat, payload), true);
  assertEquals(fits(heartbeat, {}), false);
});

Deno.test("HEARTBEAT_URL is a secret, since whoever knows it can fake a heartbeat", () => {
  assertEquals(heartbeat.settings.HEARTBEAT_URL.secret, true);
});
