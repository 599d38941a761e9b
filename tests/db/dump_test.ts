import { assertEquals, assertRejects } from "@std/assert";
import { RefusedError } from "../../lib/base/errors.ts";
import { beginSnapshot, copyOut, listSequences } from "../../lib/db/dump.ts";
import { readMigrations } from "../../lib/db/migrate.ts";
import { openSession } from "../../lib/db/session.ts";
import { emptyDatabase, testDatabase } from "../support/database.ts";

const sessionOf = (url: string) => {
  const session = openSession({ url, application: "test-dump" });
  return Object.assign(session, { [Symbol.asyncDispose]: () => session.close() });
};

Deno.test("a snapshot tells all tables with their columns, what is referred to first", async () => {
  await using database = await testDatabase();
  // Its name sorts before that of what it refers to.
  await database
    .sql`create table a_last (id bigint references jobs (id), twice bigint generated always as (id * 2) stored)`;
  await using session = sessionOf(database.url);
  const { tables, migrations, takenAt } = await beginSnapshot(session);
  const names = tables.map(({ name }) => name);
  assertEquals(names.indexOf("events") < names.indexOf("jobs"), true);
  assertEquals(names.indexOf("jobs") < names.indexOf("a_last"), true);
  assertEquals(names.includes("migrations"), false);
  assertEquals(tables.find(({ name }) => name === "a_last")?.columns, ["id"]);
  const ours = await readMigrations();
  assertEquals(
    [...migrations].map((one) => ({ ...one })),
    ours.map(({ name, checksum }) => ({ name, checksum })),
  );
  assertEquals(Math.abs(takenAt.getTime() - Date.now()) < 60_000, true);
});

Deno.test("what is committed after the snapshot is not in it, however late its table is read", async () => {
  await using database = await testDatabase();
  await database.sql`insert into jobs (kind) values ('before')`;
  await using session = sessionOf(database.url);
  const { tables } = await beginSnapshot(session);
  await database.sql`insert into jobs (kind) values ('after')`;
  const jobs = tables.find(({ name }) => name === "jobs")!;
  const pieces = await Array.fromAsync(copyOut(session, { ...jobs, columns: ["kind"] }));
  assertEquals(pieces.map((piece) => new TextDecoder().decode(piece)).join(""), "before\n");
  const sequence = (await listSequences(session)).find(({ name }) => name === "jobs_id_seq")!;
  assertEquals(sequence.last, "2");
});

Deno.test("a table can be left in the middle, and the session be closed after that", async () => {
  await using database = await testDatabase();
  await database
    .sql`insert into jobs (kind) select repeat('x', 1000) from generate_series(1, 3000)`;
  await using session = sessionOf(database.url);
  const { tables } = await beginSnapshot(session);
  const rows = copyOut(session, tables.find(({ name }) => name === "jobs")!);
  assertEquals((await rows.next()).done, false);
  await rows.return(undefined);
});

Deno.test("a database without tables is no database to back up", async () => {
  await using database = await emptyDatabase();
  await using session = sessionOf(database.url);
  await assertRejects(() => beginSnapshot(session), RefusedError, "has no tables");
});
