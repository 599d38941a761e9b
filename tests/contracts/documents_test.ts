import { assert, assertEquals, assertRejects } from "@std/assert";
import postgres from "postgres";
import { PermanentError } from "../../lib/base/errors.ts";
import {
  type ContractRecord,
  currentDate,
  type DocumentKey,
  documentPath,
  findDocument,
  listDocumentFiles,
  listDocumentsOfLead,
  recordHash,
  recordNote,
  reserveDocument,
  skipNumbers,
  type Sql,
} from "../../lib/contracts/documents.ts";
import { parseNumberFormat, seriesOf } from "../../lib/contracts/numbers.ts";
import { testDatabase } from "../support/database.ts";
import { until } from "../support/until.ts";

const DATE = "2026-12-01";
const HASH = "a".repeat(64);

function keyOf(leadId: number | string, templateVersion = "v1"): DocumentKey {
  return { accountId: "31700412", leadId: String(leadId), templateVersion };
}

function reserve(sql: Sql, key: DocumentKey, options: { format?: string; date?: string } = {}) {
  const { format = "{YYYY}-{0000}", date = DATE } = options;
  const parsed = parseNumberFormat(format);
  if (typeof parsed === "string") throw new Error(parsed);
  const series = seriesOf(parsed, { date, leadId: key.leadId });
  return reserveDocument(sql, key, { date, path: documentPath(key), series });
}

Deno.test("reserveDocument() numbers contracts one after the other, with leading zeros", async () => {
  await using db = await testDatabase();
  const numbers = [];
  for (const lead of [1, 2, 3]) numbers.push((await reserve(db.sql, keyOf(lead))).number);
  assertEquals(numbers, ["2026-0001", "2026-0002", "2026-0003"]);
});

Deno.test("reserveDocument() gives the second attempt the number, the date and the file of the first", async () => {
  await using db = await testDatabase();
  const first = await reserve(db.sql, keyOf(4521));
  const again = await reserve(db.sql, keyOf(4521), { date: "2027-01-01", format: "N{0}" });
  assertEquals(again, first);
  // Nor is a number used up by an attempt that finds its row.
  assertEquals(await reserve(db.sql, keyOf(4521)), first);
  assertEquals(first.path, "contract-31700412-4521-v1.pdf");
  assertEquals([first.date, first.sha256, first.noteRef], [DATE, null, null]);
  assertEquals((await reserve(db.sql, keyOf(2))).number, "2026-0002");
});

Deno.test("reserveDocument() never gives two contracts one number, nor one deal two, with thirty at once", async () => {
  await using db = await testDatabase();
  const pool = postgres(db.url, { max: 15, fetch_types: false });
  const leads = Array.from({ length: 30 }, (_, index) => index % 10);
  const rows = await Promise.all(leads.map((lead) => reserve(pool, keyOf(lead))));
  await pool.end();
  assertEquals(new Set(rows.map(({ number }) => number)).size, 10);
  assertEquals(new Set(rows.map(({ leadId, number }) => `${leadId} ${number}`)).size, 10);
  const [stored] = await db.sql`select count(*)::int as count from contract_documents`;
  assertEquals(stored?.count, 10);
});

Deno.test("reserveDocument() returns the row of the first when a second process began before it was committed", async () => {
  await using db = await testDatabase();
  const begun = Promise.withResolvers<ContractRecord>();
  const commit = Promise.withResolvers<void>();
  const slow = db.sql.begin(async (transaction) => {
    begun.resolve(await reserve(transaction, keyOf(1)));
    await commit.promise;
  });
  const first = await begun.promise;
  const second = reserve(db.sql, keyOf(1));
  await until("the second one waits for the first", async () => {
    const waiting = await db.sql`
      select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
    return waiting.length > 0;
  });
  commit.resolve();
  await slow;
  assertEquals(await second, first);
  // The second one's number is not given out again.
  assertEquals((await reserve(db.sql, keyOf(2))).number, "2026-0003");
});

Deno.test("reserveDocument() begins at one for each year, and writes more digits than the form has", async () => {
  await using db = await testDatabase();
  await reserve(db.sql, keyOf(1));
  assertEquals((await reserve(db.sql, keyOf(2), { date: "2027-01-01" })).number, "2027-0001");
  await db.sql`update contract_series set last = 9999 where name = '2026-#'`;
  assertEquals((await reserve(db.sql, keyOf(3))).number, "2026-10000");
});

Deno.test("reserveDocument() tells a deal's second contract apart where the form has no counter", async () => {
  await using db = await testDatabase();
  const form = { format: "D-{lead}/{YY}" };
  const numbers = [];
  for (const version of ["v1", "v1-terms", "v2"]) {
    numbers.push((await reserve(db.sql, keyOf(7, version), form)).number);
  }
  assertEquals(numbers, ["D-7/26", "D-7/26-2", "D-7/26-3"]);
});

Deno.test("reserveDocument() explains a number that an older form has given out", async () => {
  await using db = await testDatabase();
  await reserve(db.sql, keyOf(1), { format: "1{0}" });
  await assertRejects(
    () => reserve(db.sql, keyOf(2), { format: "{0}1" }),
    PermanentError,
    "CONTRACT_NUMBER_FORMAT",
  );
  assertEquals(await findDocument(db.sql, keyOf(2)), undefined);
});

Deno.test("Ids beyond what a JavaScript number can hold keep their digits", async () => {
  await using db = await testDatabase();
  const key = { ...keyOf("9007199254740993"), accountId: "9007199254740995" };
  await reserve(db.sql, key);
  const found = await findDocument(db.sql, key);
  assertEquals([found?.leadId, found?.accountId], [key.leadId, key.accountId]);
});

Deno.test("recordHash() takes the same hash again, and refuses another one", async () => {
  await using db = await testDatabase();
  const { id } = await reserve(db.sql, keyOf(1));
  await recordHash(db.sql, id, HASH);
  await recordHash(db.sql, id, HASH);
  await assertRejects(
    () => recordHash(db.sql, id, "b".repeat(64)),
    PermanentError,
    "another hash",
  );
  assertEquals((await findDocument(db.sql, keyOf(1)))?.sha256, HASH);
});

Deno.test("recordNote() keeps the first note, and records none for a file that is not stored", async () => {
  await using db = await testDatabase();
  const { id } = await reserve(db.sql, keyOf(1));
  await assertRejects(() => recordNote(db.sql, id, "1"), postgres.PostgresError, "check");
  await recordHash(db.sql, id, HASH);
  assertEquals(await recordNote(db.sql, id, "771400561"), "771400561");
  assertEquals(await recordNote(db.sql, id, "999"), "771400561");
  await assertRejects(() => recordNote(db.sql, "17", "1"), PermanentError, "no contract document");
});

Deno.test("listDocumentsOfLead() shows all contracts of a deal and none of another", async () => {
  await using db = await testDatabase();
  await reserve(db.sql, keyOf(1, "v1"));
  await reserve(db.sql, keyOf(2, "v1"));
  await reserve(db.sql, keyOf(1, "v2"));
  const found = await listDocumentsOfLead(db.sql, "1");
  assertEquals(found.map(({ templateVersion }) => templateVersion), ["v1", "v2"]);
  assert(found[0]!.createdAt instanceof Date);
});

Deno.test("currentDate() is the date of the zone by the database's clock", async () => {
  await using db = await testDatabase();
  const dates = await Promise.all(
    ["Pacific/Kiritimati", "Etc/GMT+12"].map((zone) => currentDate(db.sql, zone)),
  );
  // Those two zones are 26 hours apart, so never on one date.
  assert(dates[0]! > dates[1]!, dates.join(" and "));
  assertEquals(/^\d{4}-\d\d-\d\d$/.test(dates[0]!), true);
});

Deno.test("listDocumentFiles() tells each file, and of which nobody knows yet that it is stored", async () => {
  await using db = await testDatabase();
  const { id } = await reserve(db.sql, keyOf(1));
  await reserve(db.sql, keyOf(2));
  await recordHash(db.sql, id, HASH);
  assertEquals([...await listDocumentFiles(db.sql)].map((file) => ({ ...file })), [
    { path: "contract-31700412-1-v1.pdf", sha256: HASH },
    { path: "contract-31700412-2-v1.pdf", sha256: null },
  ]);
});

Deno.test("skipNumbers() leaves numbers out, so that none that may have been given out comes again", async () => {
  await using db = await testDatabase();
  await reserve(db.sql, keyOf(1));
  const skipped = await skipNumbers(db.sql, 100);
  assertEquals([...skipped].map((one) => ({ ...one })), [{ series: "2026-#", last: "101" }]);
  assertEquals((await reserve(db.sql, keyOf(2))).number, "2026-0102");
});
