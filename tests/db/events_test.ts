import { assert, assertEquals, assertRejects } from "@std/assert";
import { onceMore } from "../../lib/db/db.ts";
import { getEvent, getEventIds, insertDeliveries } from "../../lib/db/events.ts";
import { CHANNEL, jobRow } from "../../lib/db/jobs.ts";
import { freshApp, warmUp } from "../support/app.ts";
import { deliveryRow, plain } from "../support/jobs.ts";
import { until } from "../support/until.ts";

Deno.test("insertDeliveries() answers in the order given, whatever the order of the keys", async () => {
  await using app = await freshApp();
  const keys = ["c", null, "a", null, "b"];
  const stored = await insertDeliveries(
    app.db,
    keys.map((dedupKey, index) => deliveryRow({ dedupKey, query: `?${index}` })),
  );
  const events = await Promise.all(stored.map(({ id }) => getEvent(app.db, id!)));
  assertEquals(events.map((event) => event!.query), ["?0", "?1", "?2", "?3", "?4"]);
});

Deno.test("a repeat inside one batch is told apart from its first, and brings no second jobs", async () => {
  await using app = await freshApp();
  const row = deliveryRow({ dedupKey: "update 7", jobs: [jobRow({ kind: "work" })] });
  const stored = await insertDeliveries(app.db, [row, deliveryRow(), row]);
  assertEquals(stored.filter(({ id }) => id === null).length, 1);
  assertEquals(stored[1]!.id !== null, true);
  assertEquals(await app.rows`select count(*)::int from jobs`, [{ count: 1 }]);
});

Deno.test("a repeat of a stored delivery brings neither event nor jobs", async () => {
  await using app = await freshApp();
  const row = deliveryRow({ dedupKey: "update 7", jobs: [jobRow({ kind: "work" })] });
  const [first] = await plain(insertDeliveries(app.db, [row]));
  assertEquals(first, { id: "1", jobs: 1 });
  assertEquals(await plain(insertDeliveries(app.db, [row])), [{ id: null, jobs: 0 }]);
  assertEquals(await getEventIds(app.db, [row, { source: "site", dedupKey: "other" }]), [
    "1",
    null,
  ]);
});

Deno.test("the same key of two sources, and no key at all, never collide", async () => {
  await using app = await freshApp();
  const rows = [
    deliveryRow({ dedupKey: "7" }),
    deliveryRow({ source: "telegram", dedupKey: "7" }),
    deliveryRow(),
    deliveryRow(),
  ];
  const stored = await insertDeliveries(app.db, rows);
  assertEquals(stored.filter(({ id }) => id === null), []);
});

Deno.test("eight parallel batches of the same deliveries in opposite orders store each once, without a deadlock", async () => {
  await using app = await freshApp({ connection: { max: 8 } });
  await warmUp(app, 8);
  const rows = Array.from(
    { length: 200 },
    (_, index) =>
      deliveryRow({ dedupKey: `${index}`, jobs: [jobRow({ kind: "work", key: `job ${index}` })] }),
  );
  const batches = Array.from({ length: 8 }, (_, index) => index % 2 ? rows : rows.toReversed());
  const stored = await Promise.all(batches.map((batch) => insertDeliveries(app.db, batch)));
  assertEquals(stored.flat().filter(({ id }) => id !== null).length, 200);
  assertEquals(
    await app.rows`select count(*)::int, count(distinct event_id)::int as events from jobs`,
    [
      { count: 200, events: 200 },
    ],
  );
});

Deno.test("a deadlock's victim is stored at its second try", async () => {
  await using app = await freshApp();
  let tries = 0;
  const stored = await onceMore(() => {
    if (++tries === 1) {
      return Promise.reject(Object.assign(new Error("deadlock"), { code: "40P01" }));
    }
    return insertDeliveries(app.db, [deliveryRow()]);
  });
  assertEquals([tries, stored.length], [2, 1]);
});

for (
  const [what, body] of Object.entries({
    "a zero byte": Uint8Array.of(0x7b, 0x22, 0x00, 0x22, 0x7d),
    "bytes that are not UTF-8": Uint8Array.of(0xff, 0xfe, 0x7b, 0x7d),
    "an escaped zero": new TextEncoder().encode('{"n":"a\\u0000b","lone":"\\ud800"}'),
    "odd spacing and number forms": new TextEncoder().encode('{ "b":1,\r\n "a" : 1.0, "z":1e2 }\n'),
    "nothing": new Uint8Array(),
    "every byte there is": Uint8Array.from({ length: 256 }, (_, byte) => byte),
  })
) {
  Deno.test(`a body with ${what} is stored to the last byte (rule 3)`, async () => {
    await using app = await freshApp();
    const [stored] = await insertDeliveries(app.db, [deliveryRow({ body })]);
    const event = await getEvent(app.db, stored!.id!);
    assertEquals(event!.body, body);
  });
}

Deno.test("the body that getEvent() gives is a copy, so that no later read of the socket changes it", async () => {
  await using app = await freshApp();
  const body = new TextEncoder().encode("x".repeat(1000));
  const [stored] = await insertDeliveries(app.db, [deliveryRow({ body })]);
  const event = await getEvent(app.db, stored!.id!);
  assertEquals(event!.body!.buffer.byteLength, 1000);
});

Deno.test("headers are stored as an object, not as text that looks like one", async () => {
  await using app = await freshApp();
  const headers = { "x-quote": 'a"b\\c', "x-brace": "{NULL,}", "x-latin": "é" };
  const [stored] = await insertDeliveries(app.db, [deliveryRow({ headers })]);
  assertEquals((await getEvent(app.db, stored!.id!))!.headers, headers);
  assertEquals(await app.rows`select jsonb_typeof(headers) as type from events`, [{
    type: "object",
  }]);
});

Deno.test("twenty thousand bytes of Cyrillic fit although notifications are limited: they carry nothing", async () => {
  await using app = await freshApp();
  const heard: string[] = [];
  await app.db.sql.listen(CHANNEL, (payload) => void heard.push(payload));
  const text = "ж".repeat(10_000);
  const jobs = [jobRow({ kind: "work", payload: { text } }), jobRow({ kind: "work" })];
  const body = new TextEncoder().encode(text);
  await insertDeliveries(app.db, [deliveryRow({ body, jobs }), deliveryRow({ body, jobs })]);
  await app.db.sql.notify(CHANNEL, "last");
  await until("the last notification arrives", () => heard.includes("last"));
  assertEquals(heard, ["", "last"]);
});

Deno.test("an event whose jobs cannot be stored is not kept, so its repeat is no duplicate (rule 1)", async () => {
  await using app = await freshApp();
  const row = deliveryRow({ dedupKey: "7", jobs: [jobRow({ kind: "work" })] });
  await app.db.sql.unsafe(`
    create function refuse() returns trigger language plpgsql as $$
      begin raise exception 'no jobs today'; end $$;
    create trigger refuse before insert on jobs for each row execute function refuse()`);
  await assertRejects(() => insertDeliveries(app.db, [row]), Error, "no jobs today");
  assertEquals(await app.rows`select count(*)::int from events`, [{ count: 0 }]);
  await app.db.sql`drop trigger refuse on jobs`;
  const [stored] = await insertDeliveries(app.db, [row]);
  assert(stored!.id !== null);
});
