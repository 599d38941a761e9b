import { assert, assertEquals } from "@std/assert";
import { connect } from "../../lib/db/db.ts";
import { enqueue } from "../../lib/db/jobs.ts";
import {
  countSessions,
  getJobRows,
  getLongestTransaction,
  listTableSizes,
} from "../../lib/db/server.ts";
import { freshApp, testApp } from "../support/app.ts";
import { asAdmin, testDatabase } from "../support/database.ts";

Deno.test("the longest open transaction is that of another session, and its text is not told", async () => {
  await using app = await freshApp({ connection: { max: 2 } });
  assertEquals(await getLongestTransaction(app.db), undefined);
  await app.db.sql.begin(async (sql) => {
    const [own] = await sql`select pg_backend_pid() as pid, 'Ada' as name`;
    const open = (await getLongestTransaction(app.db))!;
    assertEquals([open.pid, open.application, open.state], [
      own!.pid,
      "hookwork-test",
      "idle in transaction",
    ]);
    assert(open.seconds >= open.statementSeconds && open.statementSeconds >= 0);
    assert(!JSON.stringify(open).includes("Ada"));
  });
});

Deno.test("workers are counted by their sessions, and listeners among them", async () => {
  await using database = await testDatabase();
  await using app = testApp({ url: database.url });
  assertEquals(await countSessions(app.db), { workers: 0, listening: 0, hidden: 0 });
  const worker = connect({
    url: database.url,
    application: "hookwork-worker",
    max: 1,
    statementSeconds: 5,
  });
  await worker.run(worker.sql`select 1`);
  assertEquals(await countSessions(app.db), { workers: 1, listening: 0, hidden: 0 });
  await worker.sql.listen("hookwork_jobs", () => {});
  assertEquals(await countSessions(app.db), { workers: 2, listening: 1, hidden: 0 });
  await worker.close();
});

Deno.test("a role that may not see what others do says how many it cannot see", async () => {
  await using database = await testDatabase();
  const role = `hookwork_test_${crypto.randomUUID().slice(0, 8)}`;
  await asAdmin((admin) => admin.unsafe(`create role ${role} login password 'guest'`));
  try {
    const url = new URL(database.url);
    url.username = role;
    url.password = "guest";
    const guest = connect({ url: url.href, application: "guest", max: 1, statementSeconds: 5 });
    await database.sql.begin(async (sql) => {
      await sql`select 1`;
      assertEquals(await getLongestTransaction(guest), undefined);
      assert((await countSessions(guest)).hidden >= 1);
    });
    await guest.close();
  } finally {
    await asAdmin((admin) => admin.unsafe(`drop role ${role}`));
  }
});

Deno.test("dead rows of the jobs are counted until vacuum has removed them", async () => {
  await using app = await freshApp({ connection: { max: 1 } });
  await app.rows`alter table jobs set (autovacuum_enabled = false)`;
  for (let n = 0; n < 5; n++) await enqueue(app.db, { kind: "work" });
  await app.rows`delete from jobs where id < 4`;
  const flushed = async () => {
    await app.rows`select pg_stat_force_next_flush()`;
    return await getJobRows(app.db);
  };
  assertEquals(await flushed(), { live: 2, dead: 3, vacuumSeconds: null });
  await app.rows`vacuum jobs`;
  const { live, dead, vacuumSeconds } = await flushed();
  assertEquals([live, dead], [2, 0]);
  assert(vacuumSeconds! >= 0 && vacuumSeconds! < 60);
});

Deno.test("the largest tables come first, with their indexes", async () => {
  await using app = await freshApp();
  await app.rows`
    insert into jobs (kind, payload)
    select 'work', json_build_object('text', repeat('x', 1000)) from generate_series(1, 500)`;
  const [first, second, ...more] = await listTableSizes(app.db, 2);
  assertEquals([first!.table, more], ["jobs", []]);
  assert(first!.bytes > 500_000 && first!.bytes > second!.bytes, `${first!.bytes}`);
});
