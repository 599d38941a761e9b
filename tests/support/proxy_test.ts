/** The proxy does to a connection what a network does. */

import { assert, assertEquals, assertRejects } from "@std/assert";
import postgres from "postgres";
import { testDatabase } from "./database.ts";
import { startProxy } from "./proxy.ts";
import { until } from "./until.ts";

Deno.test("startProxy() passes everything on, and counts its connections", async () => {
  await using database = await testDatabase();
  await using proxy = startProxy(database.url);
  const sql = open(proxy.url);
  const [row] = await sql`select repeat('x', 1000000) as text`;
  assertEquals(row!.text.length, 1_000_000);
  assertEquals(proxy.connections, 1);
  await sql.end();
  await until("the connection is gone", () => proxy.connections === 0);
});

Deno.test("cut() ends what is open and refuses what is new until heal()", async () => {
  await using database = await testDatabase();
  await using proxy = startProxy(database.url);
  const sql = open(proxy.url);
  await sql`select 1`;
  const running = assertRejects(() => sql`select pg_sleep(60)`);
  proxy.cut();
  await running;
  await assertRejects(() => sql`select 1`);
  assertEquals(proxy.connections, 0);
  proxy.heal();
  await until("a query passes again", () => sql`select 1`.then(() => true, () => false));
  await sql.end();
});

Deno.test("freeze() holds every byte until heal(), without an error", async () => {
  await using database = await testDatabase();
  await using proxy = startProxy(database.url);
  const sql = open(proxy.url);
  await sql`select 1`;
  proxy.freeze();
  let answered = false;
  const query = sql`select 1`.then(() => answered = true);
  await new Promise((wake) => setTimeout(wake, 100));
  assert(!answered);
  proxy.heal();
  await query;
  await sql.end();
});

Deno.test("a frozen proxy can be disposed of with clients still waiting", async () => {
  await using database = await testDatabase();
  const proxy = startProxy(database.url);
  const sql = open(proxy.url);
  await sql`select 1`;
  proxy.freeze();
  const query = assertRejects(() => sql`select 1`);
  await proxy[Symbol.asyncDispose]();
  await query;
  await sql.end({ timeout: 0 });
});

function open(url: string): postgres.Sql {
  return postgres(url, { max: 1, fetch_types: false, connect_timeout: 1, backoff: () => 0.02 });
}
