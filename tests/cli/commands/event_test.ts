import { assertEquals, assertStringIncludes } from "@std/assert";
import { insertDeliveries } from "../../../lib/db/events.ts";
import { freshApp } from "../../support/app.ts";
import { deliveryRow } from "../../support/jobs.ts";
import { cli } from "../support.ts";

const latin1 = (bytes: Uint8Array) => String.fromCharCode(...bytes);
const EVERY_BYTE = Uint8Array.from({ length: 256 }, (_, byte) => byte);

Deno.test("event --raw writes exactly the bytes that came in, also those that are no text", async () => {
  await using app = await freshApp();
  const body = EVERY_BYTE;
  await insertDeliveries(app.db, [deliveryRow({ body })]);
  const { exitCode, output } = await cli(app.config.DATABASE_URL, ["event", "1", "--raw"]);
  assertEquals({ exitCode, output }, { exitCode: 0, output: latin1(body) });
});

Deno.test("event --raw refuses when retention has removed the bytes, instead of writing none", async () => {
  await using app = await freshApp();
  await insertDeliveries(app.db, [deliveryRow()]);
  await app.rows`update events set body = null, body_removed_at = '2026-03-01T12:00Z'`;
  const { exitCode, output, errors } = await cli(app.config.DATABASE_URL, ["event", "1", "--raw"]);
  assertEquals({ exitCode, output }, { exitCode: 1, output: "" });
  assertStringIncludes(errors, "its body was removed by retention on 2026-03-01");
  const shown = await cli(app.config.DATABASE_URL, ["event", "1"]);
  assertStringIncludes(shown.output, "removed by retention on 2026-03-01 15:00:00+03:00");
});

Deno.test("event shows a body as text where it is UTF-8, and never obeys its controls", async () => {
  await using app = await freshApp();
  const body = new TextEncoder().encode('{"name":"Zoë\x1b]0;title\x07"}');
  await insertDeliveries(app.db, [deliveryRow({ body, error: "Cannot route\x9b2J it" })]);
  const { output } = await cli(app.config.DATABASE_URL, ["event", "1"]);
  assertStringIncludes(output, '{"name":"Zoë\\u001b]0;title\\u0007"}');
  assertStringIncludes(output, "Cannot route\\u009b2J it");
  assertStringIncludes(output, "No job grew from it.");
});

Deno.test("event --json gives a body that is no text as base64, and keeps a byte order mark", async () => {
  await using app = await freshApp();
  const marked = new TextEncoder().encode("\ufeff{}");
  await insertDeliveries(app.db, [
    deliveryRow({ source: "a", body: EVERY_BYTE }),
    deliveryRow({ source: "b", body: marked }),
  ]);
  const bodyOf = async (id: string) =>
    JSON.parse((await cli(app.config.DATABASE_URL, ["event", id, "--json"])).output).event.body;
  assertEquals(await bodyOf("1"), { bytes: 256, base64: EVERY_BYTE.toBase64() });
  assertEquals(await bodyOf("2"), { bytes: 5, text: "\ufeff{}" });
});
