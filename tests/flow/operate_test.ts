import { assertEquals, assertRejects } from "@std/assert";
import type { NewJob } from "../../lib/contract.ts";
import { RefusedError } from "../../lib/base/errors.ts";
import { insertDeliveries } from "../../lib/db/events.ts";
import { enqueue, jobRow } from "../../lib/db/jobs.ts";
import { cancel, replay, retry } from "../../lib/flow/operate.ts";
import { freshApp } from "../support/app.ts";
import { claim, deliveryRow, handlerOf, jobOf, settle } from "../support/jobs.ts";
import { sourceOf } from "../support/sources.ts";

const work = handlerOf(() => Promise.resolve());
const routing = sourceOf({
  route: (delivery): NewJob[] => [
    { kind: "work", key: "once", payload: { bytes: delivery.body.toHex() } },
    { kind: "work", payload: { path: delivery.url.pathname + delivery.url.search } },
  ],
});

Deno.test("retry() brings a given up job back, and refuses one that runs or is not there", async () => {
  await using app = await freshApp();
  const id = await enqueue(app.db, { kind: "work" });
  await settle(app.db, await claim(app.db), { status: "failed", reason: "permanent" });
  await retry(app, id!);
  assertEquals((await jobOf(app.db, id)).status, "pending");
  await claim(app.db, { worker: "host/1" });
  await assertRejects(() => retry(app, id!), RefusedError, "it is running (host/1)");
  await assertRejects(() => retry(app, "17"), RefusedError, "there is no such job");
});

Deno.test("retry() of a job that is done would do its work twice, so it wants to be asked for", async () => {
  await using app = await freshApp();
  const id = await enqueue(app.db, { kind: "work" });
  await settle(app.db, await claim(app.db));
  await assertRejects(() => retry(app, id!), RefusedError, `hookwork retry ${id} --again`);
  assertEquals((await jobOf(app.db, id)).status, "done");
  await retry(app, id!, { again: true });
  const job = await jobOf(app.db, id);
  assertEquals([job.status, job.attempts, job.claims], ["pending", 0, 1]);
});

Deno.test("retry() refuses a job that retention has emptied: it would run with nothing to work on", async () => {
  await using app = await freshApp();
  await app.rows`
    insert into jobs (kind, key, status, reason, finished_at, payload_removed_at)
    values ('work', 'paid:7', 'failed', 'timeout', '2026-01-01', '2026-04-01T12:00Z')`;
  const why = "its payload was removed by retention on 2026-04-01";
  await assertRejects(() => retry(app, "1"), RefusedError, why);
  assertEquals((await jobOf(app.db, "1")).status, "failed");
});

Deno.test("cancel() gives up what waits, is content when that is so already, and refuses what runs or has ended", async () => {
  await using app = await freshApp();
  const waiting = (await enqueue(app.db, { kind: "work", delaySeconds: 60 }))!;
  await cancel(app, waiting);
  await cancel(app, waiting);
  assertEquals((await jobOf(app.db, waiting)).reason, "cancelled");
  const id = (await enqueue(app.db, { kind: "work" }))!;
  const claims = await claim(app.db, { worker: "host/1" });
  await assertRejects(() => cancel(app, id), RefusedError, "it is running (host/1)");
  await settle(app.db, claims, { status: "failed", reason: "permanent" });
  await assertRejects(() => cancel(app, id), RefusedError, "it has ended already (permanent)");
  await assertRejects(() => cancel(app, "17"), RefusedError, "there is no such job");
});

Deno.test("a replay routes the exact bytes again, and does not double what was to happen once", async () => {
  await using app = await freshApp({ handlers: [work], sources: { site: routing } });
  const body = Uint8Array.of(0, 255, 10);
  const [stored] = await insertDeliveries(app.db, [
    deliveryRow({ body, query: "?a=%20b", jobs: [jobRow({ kind: "work", key: "once" })] }),
  ]);
  const made = await replay(app, stored!.id!, { again: false });
  assertEquals(made.map(({ id, key }) => [id === null, key]), [[true, "once"], [false, null]]);
  const second = await jobOf(app.db, made[1]!.id!);
  assertEquals([second.eventId, second.payload], [stored!.id, '{"path":"/hooks/site?a=%20b"}']);
});

Deno.test("a replay `again` makes all jobs, and leaves the key to the first", async () => {
  await using app = await freshApp({ handlers: [work], sources: { site: routing } });
  const [stored] = await insertDeliveries(app.db, [
    deliveryRow({ body: Uint8Array.of(0, 255), jobs: [jobRow({ kind: "work", key: "once" })] }),
  ]);
  for (let n = 0; n < 2; n++) {
    const made = await replay(app, stored!.id!, { again: true });
    assertEquals(made.map(({ id, key }) => [id === null, key]), [[false, null], [false, null]]);
    assertEquals((await jobOf(app.db, made[0]!.id!)).payload, '{"bytes":"00ff"}');
  }
});

Deno.test("what cannot be replayed is refused with its reason, and makes no job", async () => {
  const broken = sourceOf({
    route() {
      throw new Error("still no id");
    },
  });
  await using app = await freshApp({ handlers: [work], sources: { broken, site: routing } });
  await insertDeliveries(app.db, [
    deliveryRow({ source: "gone" }),
    deliveryRow({ source: "broken" }),
    deliveryRow(),
  ]);
  await app.db
    .sql`update events set body = null, body_removed_at = '2026-03-01T12:00Z' where source = 'site'`;
  const refusals = {
    "1": 'no source is named "gone"',
    "2": "cannot be routed",
    "3": "its body was removed by retention on 2026-03-01",
    "17": "no such event",
  };
  for (const [id, why] of Object.entries(refusals)) {
    await assertRejects(() => replay(app, id, { again: false }), RefusedError, why);
  }
  assertEquals(await app.rows`select from jobs`, []);
});
