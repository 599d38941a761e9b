import { assert, assertEquals } from "@std/assert";
import { insertDeliveries } from "../../lib/db/events.ts";
import { countUnroutedEvents, getExpiredLeases, getLongestRun } from "../../lib/db/health.ts";
import { enqueue, jobRow } from "../../lib/db/jobs.ts";
import { freshApp } from "../support/app.ts";
import { deliveryRow } from "../support/jobs.ts";

Deno.test("leases that are over are counted with the age of the oldest, and those that hold are not", async () => {
  await using app = await freshApp();
  assertEquals(await getExpiredLeases(app.db), { count: 0, oldestSeconds: 0 });
  await app.rows`
    insert into jobs (kind, status, locked_by, locked_until) values
      ('work', 'running', 'host/1', now() + interval '1 minute'),
      ('work', 'running', 'host/1', now() - interval '1 minute'),
      ('work', 'running', 'host/1', now() - interval '5 minutes')`;
  const { count, oldestSeconds } = await getExpiredLeases(app.db);
  assertEquals(count, 2);
  assert(oldestSeconds >= 300 && oldestSeconds < 400, `${oldestSeconds}`);
});

Deno.test("the longest run is the one that began first, whatever its lease", async () => {
  await using app = await freshApp();
  assertEquals(await getLongestRun(app.db), undefined);
  await app.rows`
    insert into jobs (kind, status, locked_by, locked_until, started_at) values
      ('new', 'running', 'host/1', now(), now() - interval '1 minute'),
      ('old', 'running', 'host/2', now() + interval '1 minute', now() - interval '5 minutes')`;
  const { id, kind, lockedBy, seconds } = (await getLongestRun(app.db))!;
  assertEquals([id, kind, lockedBy, Math.floor(seconds / 60)], ["2", "old", "host/2", 5]);
});

Deno.test("events that could not be routed count until they are replayed, and a day long", async () => {
  await using app = await freshApp();
  const odd = { error: "no id in it" };
  await insertDeliveries(app.db, [
    deliveryRow(odd),
    deliveryRow(odd),
    deliveryRow(odd),
    deliveryRow({ jobs: [jobRow({ kind: "work" })] }),
  ]);
  assertEquals(await countUnroutedEvents(app.db, 24), 3);
  await enqueue(app.db, { kind: "work" }, "1");
  await app.rows`update events set received_at = now() - interval '25 hours' where id = 2`;
  assertEquals(await countUnroutedEvents(app.db, 24), 1);
});
