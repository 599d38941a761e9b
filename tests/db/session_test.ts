import { assertEquals, assertRejects } from "@std/assert";
import { liftTransactionDeadline, LONG_TRANSACTION, openSession } from "../../lib/db/session.ts";
import { testDatabase } from "../support/database.ts";

Deno.test("a session that loses its connection does not go on outside of its transaction", async () => {
  await using database = await testDatabase();
  const session = openSession({ url: database.url, application: "test-session" });
  const { sql } = session;
  await sql`begin`;
  await sql`insert into jobs (kind) values ('inside')`;
  await database
    .sql`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'test-session'`;
  try {
    await assertRejects(() => sql`insert into jobs (kind) values ('outside')`);
    await assertRejects(() => sql`insert into jobs (kind) values ('outside')`);
  } finally {
    await session.close();
  }
  assertEquals([...await database.sql`select kind from jobs`], []);
});

Deno.test("a long transaction has none of the deadlines that its role and its database carry", async () => {
  await using database = await testDatabase();
  for (const name of ["statement_timeout", "idle_in_transaction_session_timeout"]) {
    await database.sql.unsafe(`alter database ${database.name} set ${name} = '150ms'`);
  }
  const session = openSession({ url: database.url, application: "test-session" });
  const { sql } = session;
  await sql.unsafe(`begin; ${LONG_TRANSACTION}`);
  await liftTransactionDeadline(session);
  await sql`select pg_sleep(0.3)`;
  await database.sql`select pg_sleep(0.3)`;
  const settings = await sql<{ name: string; setting: string }[]>`
    select name, setting from pg_settings where name like '%timeout' and category like 'Client%'
      and name in ('statement_timeout', 'idle_in_transaction_session_timeout', 'transaction_timeout')`;
  assertEquals(settings.filter(({ setting }) => setting !== "0"), []);
  await sql`commit`;
  await session.close();
});
