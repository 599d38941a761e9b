import { assertEquals } from "@std/assert";
import { hasEvents, insertDeliveries, listEvents } from "../../lib/db/events.ts";
import { enqueue, jobRow } from "../../lib/db/jobs.ts";
import { listJobsOfEvent } from "../../lib/db/jobs_view.ts";
import { freshApp } from "../support/app.ts";
import { claim, deliveryRow, plain } from "../support/jobs.ts";

Deno.test("jobs of one event keep their declared order, although they are inserted by key", async () => {
  await using app = await freshApp();
  const jobs = ["z", undefined, "a", "m"].map((key, index) =>
    jobRow({ kind: "work", key, payload: { index } })
  );
  const [stored] = await insertDeliveries(app.db, [deliveryRow({ jobs })]);
  const made = await listJobsOfEvent(app.db, stored!.id!);
  assertEquals(made.map((job) => JSON.parse(job.payload).index), [0, 1, 2, 3]);
  const taken = await Promise.all([0, 1, 2, 3].map(() => claim(app.db)));
  assertEquals(taken.flat().length, 4);
});

Deno.test("jobs of many deliveries belong each to their own event", async () => {
  await using app = await freshApp();
  const deliveries = Array.from({ length: 30 }, (_, index) =>
    deliveryRow({
      dedupKey: `${99 - index}`,
      query: `?${index}`,
      jobs: Array.from(
        { length: index % 4 },
        () => jobRow({ kind: "work", payload: { of: `?${index}` } }),
      ),
    }));
  const stored = await insertDeliveries(app.db, deliveries);
  assertEquals(stored.map(({ jobs }) => jobs), deliveries.map(({ jobs }) => jobs.length));
  const strays = await app.rows`
    select jobs.id from jobs join events on events.id = event_id where payload->>'of' <> query`;
  assertEquals(strays, []);
});

Deno.test("a job whose key is taken is not made, and is not counted as made", async () => {
  await using app = await freshApp();
  await enqueue(app.db, { kind: "work", key: "order 17" });
  const jobs = [jobRow({ kind: "work", key: "order 17" }), jobRow({ kind: "work" })];
  const [stored] = await insertDeliveries(app.db, [deliveryRow({ jobs })]);
  assertEquals(stored!.jobs, 1);
  assertEquals((await listJobsOfEvent(app.db, stored!.id!)).length, 1);
});

Deno.test("two deliveries of one batch that want the same keyed job get it once", async () => {
  await using app = await freshApp();
  const jobs = [jobRow({ kind: "work", key: "order 17" })];
  const stored = await insertDeliveries(app.db, [deliveryRow({ jobs }), deliveryRow({ jobs })]);
  assertEquals(stored.map(({ id }) => id !== null), [true, true]);
  assertEquals(stored.map(({ jobs }) => jobs).toSorted(), [0, 1]);
});

Deno.test("an event without jobs is stored, with the reason why it has none", async () => {
  await using app = await freshApp();
  const [stored] = await plain(
    insertDeliveries(app.db, [deliveryRow({ error: "it is not JSON" })]),
  );
  assertEquals(stored, { id: "1", jobs: 0 });
  const lines = await listEvents(app.db, { withError: true, limit: 10 });
  assertEquals(lines.map(({ id, error, bytes }) => ({ id, error, bytes })), [
    { id: "1", error: "it is not JSON", bytes: 2 },
  ]);
});

Deno.test("listEvents() shows the newest first, of one source when asked, with their jobs counted", async () => {
  await using app = await freshApp();
  await insertDeliveries(app.db, [
    deliveryRow({ jobs: [jobRow({ kind: "work" }), jobRow({ kind: "work" })] }),
    deliveryRow({ source: "telegram" }),
    deliveryRow(),
  ]);
  const line = ({ id, source, jobs }: { id: string; source: string; jobs: number }) =>
    `${id} ${source} ${jobs}`;
  assertEquals((await listEvents(app.db, { limit: 2 })).map(line), ["3 site 0", "2 telegram 0"]);
  const ofSite = await listEvents(app.db, { source: "site", limit: 10 });
  assertEquals(ofSite.map(line), ["3 site 0", "1 site 2"]);
  assertEquals(await hasEvents(app.db, "telegram"), true);
  assertEquals(await hasEvents(app.db, "tele"), false);
});
