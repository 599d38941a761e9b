import { assert, assertEquals, assertRejects } from "@std/assert";
import { createIntake, type Intake, UnavailableError } from "../../lib/flow/intake.ts";
import { watchOutage } from "../../lib/flow/outage.ts";
import { freshApp, type TestApp, testApp } from "../support/app.ts";
import { testDatabase } from "../support/database.ts";
import { deliveryRow } from "../support/jobs.ts";
import { startProxy } from "../support/proxy.ts";

const receiver = { statementSeconds: 1.4 };

Deno.test("a database that is stuck makes senders come again within two seconds, and is used again when it moves", async () => {
  await using database = await testDatabase();
  await using proxy = startProxy(database.url);
  await using app = testApp({ url: proxy.url, connection: receiver });
  const intake = intakeOf(app);
  await intake.store(deliveryRow());
  proxy.freeze();
  assert(await longestMs(20, () => refused(intake)) < 2000);
  proxy.heal();
  await intake.idle();
  await intake.store(deliveryRow());
});

Deno.test("a database that is away makes senders come again at once, and is used again without a restart", async () => {
  await using database = await testDatabase();
  await using proxy = startProxy(database.url);
  await using app = testApp({ url: proxy.url, connection: receiver });
  const intake = intakeOf(app);
  await intake.store(deliveryRow());
  proxy.cut();
  assert(await longestMs(20, () => refused(intake)) < 2000);
  proxy.heal();
  const stored = await Promise.all(Array.from({ length: 20 }, () => intake.store(deliveryRow())));
  assertEquals(stored.filter(({ id }) => id === null), []);
});

Deno.test("a receiver that starts before its database refuses, and then serves", async () => {
  await using database = await testDatabase();
  await using proxy = startProxy(database.url);
  proxy.cut();
  await using app = testApp({ url: proxy.url, connection: receiver });
  const intake = intakeOf(app);
  await refused(intake);
  proxy.heal();
  assert((await intake.store(deliveryRow())).id);
});

Deno.test("a locked table makes senders come again before they give up, and later ones are stored", async () => {
  await using app = await freshApp({ connection: receiver });
  const intake = intakeOf(app);
  await app.db.sql.begin(async (sql) => {
    await sql`lock table events`;
    assert(await longestMs(20, () => refused(intake)) < 2000);
  });
  await intake.idle();
  assert((await intake.store(deliveryRow())).id);
});

Deno.test("what waited past its deadline is not stored behind the sender's back by a later statement", async () => {
  await using app = await freshApp();
  const intake = intakeOf(app);
  const late = await app.db.sql.begin(async (sql) => {
    await sql`lock table events`;
    const inFlight = [refused(intake)];
    await sql`select 1`;
    inFlight.push(refused(intake));
    await sql`select 1`;
    const waiting = [1, 2, 3].map(() => refused(intake, "waited"));
    await Promise.all([...inFlight, ...waiting]);
    return waiting.length;
  });
  await intake.idle();
  assertEquals([late, await app.rows`select from events where dedup_key like 'waited%'`], [3, []]);
});

Deno.test("an overload is refused at once instead of waiting for its deadline, and never grows without end", async () => {
  await using database = await testDatabase();
  await using proxy = startProxy(database.url);
  await using app = testApp({ url: proxy.url, connection: receiver });
  const intake = intakeOf(app);
  await intake.store(deliveryRow());
  proxy.freeze();
  const waiting = Array.from({ length: 3000 }, () => refused(intake));
  assert(await longestMs(1, () => refused(intake)) < 200, "nobody waits behind two thousand");
  await Promise.all(waiting);
  proxy.heal();
  await intake.idle();
});

function intakeOf(app: TestApp): Intake {
  return createIntake(app, watchOutage(app, "receiver"));
}

let keys = 0;
async function refused(intake: Intake, prefix = "key"): Promise<void> {
  const row = deliveryRow({ dedupKey: `${prefix} ${keys++}` });
  await assertRejects(() => intake.store(row), UnavailableError);
}

async function longestMs(times: number, work: () => Promise<void>): Promise<number> {
  const startMs = performance.now();
  const spans = Array.from({ length: times }, async () => {
    await work();
    return performance.now() - startMs;
  });
  return Math.max(...await Promise.all(spans));
}
