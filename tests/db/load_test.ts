import { assertEquals, assertRejects } from "@std/assert";
import { RefusedError } from "../../lib/base/errors.ts";
import { beginLoad, copyIn, listFilledTables, setSequence } from "../../lib/db/load.ts";
import { openSession, type Session } from "../../lib/db/session.ts";
import { testDatabase } from "../support/database.ts";

const SERIES = { name: "contract_series", columns: ["name", "last"] };
const bytes = (text: string) => new TextEncoder().encode(text);

async function loading(work: (session: Session) => Promise<void>) {
  await using database = await testDatabase();
  const session = openSession({ url: database.url, application: "test-load" });
  try {
    await beginLoad(session);
    await work(session);
  } finally {
    await session.close();
  }
}

for (
  const [what, rows] of [
    ["come twice", "a\t1\na\t2\n"],
    ["break a check", "a\t0\n"],
    ["have too few columns", "a\n"],
    ["are no text of COPY", "\u0000\u0001"],
    ["are cut off", "a\t1\nb"],
  ] as const
) {
  Deno.test(`rows that ${what} are refused by the table's name, and nothing waits for ever`, async () => {
    await loading(async (session) => {
      await assertRejects(
        () => copyIn(session, SERIES, bytes(rows)),
        RefusedError,
        "contract_series",
      );
    });
  });
}

Deno.test("rows are written in several pieces, and a sequence that is not there is left out", async () => {
  await loading(async (session) => {
    await copyIn(session, SERIES, bytes("a\t1\n"));
    await copyIn(session, SERIES, bytes("b\t2\n"));
    await setSequence(session, { name: "jobs_id_seq", last: "41" });
    await setSequence(session, { name: "gone_id_seq", last: "5" });
    await setSequence(session, { name: "events_id_seq", last: null });
    const [row] = await session.sql<{ jobs: string; events: string; series: string }[]>`
      select nextval('jobs_id_seq')::text as jobs, nextval('events_id_seq')::text as events,
        (select string_agg(name || last, ',' order by name) from contract_series) as series`;
    assertEquals({ ...row! }, { jobs: "42", events: "1", series: "a1,b2" });
  });
});

Deno.test("a database that was filled meanwhile is not emptied, whatever was seen before", async () => {
  await using database = await testDatabase();
  const session = openSession({ url: database.url, application: "test-load" });
  assertEquals(await listFilledTables(session), []);
  await database.sql`insert into jobs (kind) values ('work')`;
  await assertRejects(() => beginLoad(session), RefusedError, "jobs has 1 row(s)");
  await session.close();
  assertEquals([...await database.sql`select kind from jobs`].length, 1);
});
