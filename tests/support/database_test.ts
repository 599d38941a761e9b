/** A test's database: migrated, private, and gone afterwards. */

import { assertEquals } from "@std/assert";
import { asAdmin, testDatabase } from "./database.ts";

Deno.test("testDatabase() gives each test a migrated database that nobody else sees", async () => {
  await using one = await testDatabase();
  await using two = await testDatabase();
  await one.sql`create table only_here (n int)`;
  const [row] = await two.sql`
    select to_regclass('only_here') as mine, to_regclass('migrations')::text as shared
  `;
  assertEquals({ ...row }, { mine: null, shared: "migrations" });
});

Deno.test("testDatabase() drops the database even when others are still connected", async () => {
  let name = "";
  {
    await using database = await testDatabase();
    name = database.name;
    await database.sql`select 1`;
  }
  const left = await asAdmin((admin) => admin`select from pg_database where datname = ${name}`);
  assertEquals(left.length, 0);
});

Deno.test("testDatabase() builds one template when many tests begin at once", async () => {
  const databases = await Promise.all(Array.from({ length: 8 }, () => testDatabase()));
  const names = new Set(databases.map((database) => database.name));
  await Promise.all(databases.map((database) => database[Symbol.asyncDispose]()));
  assertEquals(names.size, 8);
});
