import { assertEquals, assertRejects } from "@std/assert";
import { sweepLostJobs } from "../../lib/db/claims.ts";
import { enqueue } from "../../lib/db/jobs.ts";
import { StoppedError } from "../../lib/flow/execute.ts";
import { createClaims } from "../../lib/worker/claims.ts";
import { freshApp, type TestApp, testApp } from "../support/app.ts";
import { testDatabase } from "../support/database.ts";
import { claim, endLeases } from "../support/jobs.ts";
import { startProxy } from "../support/proxy.ts";

Deno.test("renewing prolongs the leases of all that is held, each by its own length", async () => {
  await using app = await freshApp();
  const { claims, held } = await holding(app);
  await endLeases(app.db);
  await claims.renew();
  assertEquals(await sweepLostJobs(app.db, 10).then((rows) => rows.length), 0);
  assertEquals(held.stop.stopped, false);
});

Deno.test("a run whose job was taken over is stopped as soon as its worker learns of it", async () => {
  await using app = await freshApp();
  const { claims, held } = await holding(app);
  await endLeases(app.db);
  await sweepLostJobs(app.db, 10);
  await claim(app.db, { quarantined: true });
  await claims.renew();
  assertEquals((held.stop.reason as StoppedError).why, "lease_lost");
});

Deno.test("two claims of one job in one process are told apart when leases are renewed", async () => {
  await using app = await freshApp();
  const { claims, held: older } = await holding(app);
  await endLeases(app.db);
  await sweepLostJobs(app.db, 10);
  const [job] = await claim(app.db, { quarantined: true });
  const newer = claims.add(job!, 60, performance.now());
  await claims.renew();
  assertEquals([older, newer].map((held) => held.stop.stopped), [true, false]);
});

Deno.test("cut off from the database, a run goes on until its lease must have ended, and no longer", async () => {
  await using database = await testDatabase();
  await using proxy = startProxy(database.url);
  await using app = testApp({ url: proxy.url });
  let nowMs = 0;
  const { claims, held } = await holding(app, () => nowMs);
  proxy.cut();
  nowMs = 59_999;
  await assertRejects(() => claims.renew());
  claims.expire();
  assertEquals(held.stop.stopped, false);
  nowMs = 60_001;
  claims.expire();
  assertEquals((held.stop.reason as StoppedError).why, "lease_lost");
});

Deno.test("a claim that arrives after the stop is stopped too, or it would run through a quick shutdown", async () => {
  await using app = await freshApp();
  const { claims, held } = await holding(app);
  claims.stop(new StoppedError("shutdown"));
  const late = claims.add({ ...held.job, id: "2" }, 60, performance.now());
  assertEquals([held, late].map(({ stop }) => (stop.reason as StoppedError).why), [
    "shutdown",
    "shutdown",
  ]);
});

Deno.test("atMost() waits for as many ends as it takes", async () => {
  await using app = await freshApp();
  const { claims, held } = await holding(app);
  const more = ["2", "3"].map((id) => claims.add({ ...held.job, id }, 60, 0));
  const reached: number[] = [];
  const waits = [2, 0, 1].map((count) => claims.atMost(count).then(() => reached.push(count)));
  await claims.atMost(3);
  for (const one of [held, ...more]) {
    claims.remove(one);
    await Promise.resolve();
  }
  await Promise.all(waits);
  assertEquals([reached, claims.size], [[2, 1, 0], 0]);
});

Deno.test("a claim whose run is over is held until its ending is durable, but it does not run", async () => {
  await using app = await freshApp();
  const { claims, held } = await holding(app);
  claims.ended(held);
  assertEquals([claims.running, claims.size], [0, 1]);
  await endLeases(app.db);
  await claims.renew();
  assertEquals(await sweepLostJobs(app.db, 10).then((rows) => rows.length), 0);
  claims.remove(held);
  assertEquals([claims.running, claims.size], [0, 0]);
});

Deno.test("until() waits for what is waited for, and no longer than it was told", async () => {
  await using app = await freshApp();
  const { claims, held } = await holding(app);
  const idle = claims.until(() => claims.running === 0);
  await claims.until(() => false, 1);
  claims.ended(held);
  await idle;
});

Deno.test("a worker that holds nothing asks the database nothing", async () => {
  await using app = testApp({ url: "postgres://nobody@127.0.0.1:1/x" });
  // There is no database: a question would fail.
  await createClaims(app).renew();
});

async function holding(app: TestApp, now?: () => number) {
  await enqueue(app.db, { kind: "work" });
  const [job] = await claim(app.db);
  const claims = createClaims(app, now);
  return { claims, held: claims.add(job!, 60, 0) };
}
