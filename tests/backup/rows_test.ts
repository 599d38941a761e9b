import { assertEquals, assertRejects } from "@std/assert";
import { textOfRows, writeTable } from "../../lib/backup/rows.ts";
import { beginSnapshot } from "../../lib/db/dump.ts";
import { openSession } from "../../lib/db/session.ts";
import { testDatabase } from "../support/database.ts";
import { watcher } from "./support.ts";

Deno.test("Files of rows are told apart by number, whatever a table is called, and an empty one has none", async () => {
  await using database = await testDatabase();
  await database.sql`create table "a/../b" (id int)`;
  await database.sql`insert into "a/../b" select generate_series(1, 3)`;
  const session = openSession({ url: database.url, application: "test-rows" });
  const { tables } = await beginSnapshot(session);
  const files = new Map<string, Uint8Array<ArrayBuffer>>();
  const write = (file: string, bytes: Uint8Array<ArrayBuffer>) =>
    Promise.resolve(void files.set(file, bytes));
  const odd = tables.find(({ name }) => name === "a/../b")!;
  const written = await writeTable(session, { table: odd, index: 7, partBytes: 1 }, write, watcher);
  const empty = tables.find(({ name }) => name === "jobs")!;
  const none = await writeTable(session, { table: empty, index: 8 }, write, watcher);
  await session.close();
  assertEquals([written.rows, none.rows, none.files], [3, 0, []]);
  assertEquals([...files.keys()], written.files.map(({ file }) => file));
  assertEquals(written.files[0]!.file, "07-a____b.0000.copy.gz");
  const texts = await Promise.all([...files.values()].map(textOfRows));
  assertEquals(texts.map((text) => new TextDecoder().decode(text)).join(""), "1\n2\n3\n");
});

Deno.test("A file that is cut off or is not compressed is an error, not fewer rows", async () => {
  const gzip = new Blob(["1\n2\n"]).stream().pipeThrough(new CompressionStream("gzip"));
  const whole = new Uint8Array(await new Response(gzip).arrayBuffer());
  assertEquals(new TextDecoder().decode(await textOfRows(whole)), "1\n2\n");
  await assertRejects(() => textOfRows(whole.slice(0, -6)));
  await assertRejects(() => textOfRows(new TextEncoder().encode("1\n2\n")));
});
