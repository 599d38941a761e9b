import { assertEquals, assertRejects } from "@std/assert";
import { insertDeliveries } from "../../lib/db/events.ts";
import { enqueue } from "../../lib/db/jobs.ts";
import { freshApp } from "../support/app.ts";
import { claim, deliveryRow } from "../support/jobs.ts";

const NONSENSE = {
  "a running job without a lease": "status = 'running'",
  "a pending job with a lease": "locked_until = now()",
  "a done job without its end": "status = 'done'",
  "a pending job with an end": "finished_at = now()",
  "a failed job without a reason": "status = 'failed', finished_at = now()",
  "a done job with a reason": "status = 'done', finished_at = now(), reason = 'timeout'",
  "a state that nobody knows": "status = 'waiting'",
  "a reason that nobody knows": "status = 'failed', finished_at = now(), reason = 'bad luck'",
  "a priority that no claim looks at": "priority = 4",
  "a negative number of attempts": "attempts = -1",
  "a job that may never run": "max_attempts = 0",
  "a payload that is a list": "payload = '[]'",
  "a payload that is text which looks like an object": `payload = to_json('{"a":1}'::text)`,
  "an event that is not there": "event_id = 17",
};

for (const [what, change] of Object.entries(NONSENSE)) {
  Deno.test(`the table of jobs refuses ${what}`, async () => {
    await using app = await freshApp();
    await enqueue(app.db, { kind: "work" });
    const refusal = await assertRejects(() => app.db.sql.unsafe(`update jobs set ${change}`));
    assertEquals((refusal as { code?: string }).code?.slice(0, 2), "23", String(refusal));
  });
}

Deno.test("payloads are stored as objects, not as text that looks like one", async () => {
  await using app = await freshApp();
  await enqueue(app.db, { kind: "work", payload: { a: [1, { b: null }] } });
  await enqueue(app.db, { kind: "work" });
  assertEquals(await app.rows`select distinct json_typeof(payload) as type from jobs`, [
    { type: "object" },
  ]);
});

Deno.test("ids stay digits beyond what a JavaScript number can hold", async () => {
  await using app = await freshApp();
  await app.db.sql.unsafe(`
    alter sequence jobs_id_seq restart with 9007199254740993;
    alter sequence events_id_seq restart with 9007199254740995`);
  const [stored] = await insertDeliveries(app.db, [deliveryRow()]);
  const id = await enqueue(app.db, { kind: "work" }, stored!.id);
  const [job] = await claim(app.db);
  assertEquals([id, job?.id, job?.eventId], [
    "9007199254740993",
    "9007199254740993",
    "9007199254740995",
  ]);
});

Deno.test("old statements keep working after a column was added, as during a rolling update", async () => {
  await using app = await freshApp({ connection: { max: 1 } });
  await enqueue(app.db, { kind: "work" });
  await claim(app.db);
  await app.db.sql.unsafe(
    "alter table jobs add column lane text; alter table events add column note text",
  );
  await enqueue(app.db, { kind: "work" });
  await insertDeliveries(app.db, [deliveryRow()]);
  assertEquals((await claim(app.db)).length, 1);
});

Deno.test("no statement asks for all columns, so none changes its shape with the schema", async () => {
  const folder = new URL("../../lib/db/", import.meta.url);
  for await (const { name } of Deno.readDir(folder)) {
    const text = await Deno.readTextFile(new URL(name, folder));
    assertEquals(text.match(/(select|returning) \*/i), null, name);
  }
});
