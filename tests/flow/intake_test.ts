import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { getEvent } from "../../lib/db/events.ts";
import { jobRow } from "../../lib/db/jobs.ts";
import { createIntake, UnavailableError } from "../../lib/flow/intake.ts";
import { watchOutage } from "../../lib/flow/outage.ts";
import { freshApp, type TestApp } from "../support/app.ts";
import { deliveryRow } from "../support/jobs.ts";

Deno.test("deliveries that come together share their statements, and each gets its own answer", async () => {
  await using app = await freshApp();
  const intake = intakeOf(app);
  const stored = await Promise.all(
    Array.from({ length: 200 }, (_, index) => intake.store(deliveryRow({ query: `?${index}` }))),
  );
  const { query } = (await getEvent(app.db, stored[137]!.id!))!;
  assertEquals(query, "?137");
  const [row] = await app.rows`select count(distinct xmin::text)::int as statements from events`;
  assert(row!.statements <= 2, `${row!.statements} statements`);
});

Deno.test("an answer means durable: event and jobs can be read by anyone when it comes (rule 1)", async () => {
  await using app = await freshApp();
  const stored = await intakeOf(app).store(deliveryRow({ jobs: [jobRow({ kind: "work" })] }));
  assertEquals(await app.rows`select event_id, kind from jobs`, [
    { event_id: stored.id, kind: "work" },
  ]);
});

Deno.test("a delivery whose jobs Postgres refuses is kept without them, and harms none that came with it", async () => {
  await using app = await freshApp();
  const intake = intakeOf(app);
  const good = () => deliveryRow({ jobs: [jobRow({ kind: "work" })] });
  const bad = deliveryRow({
    dedupKey: "bad",
    jobs: [jobRow({ kind: "work" }), { ...jobRow({ kind: "work" }), payload: "[]" }],
  });
  const stored = await Promise.all([good(), bad, good(), good()].map((row) => intake.store(row)));
  assertEquals(stored.map(({ jobs }) => jobs), [1, 0, 1, 1]);
  const event = await getEvent(app.db, stored[1]!.id!);
  assertStringIncludes(event!.error!, "Its jobs were refused: ");
  assertEquals((await intake.store(bad)).id, null, "its repeat is a repeat");
});

Deno.test("a delivery that Postgres refuses in every form is unavailable alone; those beside it are stored", async () => {
  await using app = await freshApp();
  await app.db.sql.unsafe(`
    create function refuse() returns trigger language plpgsql as $$
      begin raise exception 'refused' using errcode = '22000'; end $$;
    create trigger refuse before insert on events for each row
      when (new.body = '\\x62616421') execute function refuse()`);
  const intake = intakeOf(app);
  const bad = deliveryRow({ body: new TextEncoder().encode("bad!") });
  const refused = assertRejects(() => intake.store(bad), UnavailableError);
  const before = intake.store(deliveryRow());
  const after = [1, 2, 3].map(() => intake.store(deliveryRow()));
  await refused;
  assertEquals((await Promise.all([before, ...after])).filter(({ id }) => id === null), []);
});

Deno.test("a full disk is one alert and few lines of log, and stores nothing by halves", async () => {
  await using app = await freshApp();
  await app.db.sql.unsafe(`
    create function full_disk() returns trigger language plpgsql as $$
      begin raise exception 'could not extend file' using errcode = '53100'; end $$;
    create trigger full_disk before insert on jobs for each row execute function full_disk()`);
  let nowMs = 0;
  const intake = createIntake(app, watchOutage(app, "receiver", () => nowMs));
  const row = deliveryRow({ dedupKey: "7", jobs: [jobRow({ kind: "work" })] });
  for (let second = 0; second < 30; second++) {
    nowMs = second * 1000;
    const stores = Array.from(
      { length: 10 },
      () => assertRejects(() => intake.store(row), UnavailableError),
    );
    await Promise.all(stores);
  }
  assertEquals(app.told.length, 1);
  assertStringIncludes(app.told[0]!, "could not extend file");
  assertEquals(app.lines.length, 3);
  assertEquals(await app.rows`select from events`, []);
  await app.db.sql`drop trigger full_disk on jobs`;
  assertEquals((await intake.store(row)).jobs, 1);
  assertEquals(app.told.length, 2, "and one when it is over");
});

Deno.test("an error keeps its cause for the log, and says when to come again", async () => {
  await using app = await freshApp();
  await app.db.sql`drop table jobs, events`;
  const error = await assertRejects(() => intakeOf(app).store(deliveryRow()), UnavailableError);
  assertEquals(error.retryAfterSeconds, 5);
  assert(error.cause instanceof Error);
});

function intakeOf(app: TestApp) {
  return createIntake(app, watchOutage(app, "receiver"));
}
