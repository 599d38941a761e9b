import { assertEquals } from "@std/assert";
import { enqueue } from "../../lib/db/jobs.ts";
import { getJob, listFailedJobs, listJobs } from "../../lib/db/jobs_view.ts";
import { countJobs, getOldestDueSeconds } from "../../lib/db/health.ts";
import { freshApp } from "../support/app.ts";
import { claim, jobOf, settle } from "../support/jobs.ts";

Deno.test("a job that is not there is undefined, whatever the size of its number", async () => {
  await using app = await freshApp();
  assertEquals(await getJob(app.db, "17"), undefined);
  assertEquals(await getJob(app.db, "9223372036854775807"), undefined);
});

Deno.test("a job is shown with its whole history", async () => {
  await using app = await freshApp();
  const id = await enqueue(app.db, { kind: "work", payload: { a: 1 }, key: "k", priority: 0 });
  await settle(app.db, await claim(app.db, { worker: "host/1" }), { result: "well" });
  const { createdAt, startedAt, finishedAt, runAt, ...job } = await jobOf(app.db, id);
  assertEquals([createdAt, startedAt, finishedAt, runAt].map((at) => at instanceof Date), [
    true,
    true,
    true,
    true,
  ]);
  assertEquals({ ...job }, {
    id: id!,
    kind: "work",
    payload: '{"a":1}',
    status: "done",
    reason: null,
    priority: 0,
    attempts: 1,
    maxAttempts: 8,
    claims: 1,
    lost: 0,
    lockedUntil: null,
    lockedBy: null,
    lastError: null,
    result: "well",
    key: "k",
    entity: null,
    collapses: false,
    supersededBy: null,
    eventId: null,
    payloadRemovedAt: null,
  });
});

Deno.test("listJobs() shows the newest first, of one kind or state when asked", async () => {
  await using app = await freshApp();
  await app.db.sql`insert into jobs (kind, status, finished_at) values
    ('a', 'pending', null), ('b', 'done', now()), ('a', 'done', now()), ('b', 'pending', null)`;
  const ids = async (filter: Parameters<typeof listJobs>[1]) =>
    (await listJobs(app.db, filter)).map((job) => job.id);
  assertEquals(await ids({ limit: 3 }), ["4", "3", "2"]);
  assertEquals(await ids({ limit: 9, kind: "a" }), ["3", "1"]);
  assertEquals(await ids({ limit: 9, status: "done" }), ["3", "2"]);
  assertEquals(await ids({ limit: 9, status: "done", kind: "b" }), ["2"]);
});

Deno.test("listFailedJobs() shows first what was given up last, not what was made last", async () => {
  await using app = await freshApp();
  await app.db.sql`insert into jobs (kind, status, reason, finished_at) values
    ('a', 'failed', 'timeout', now()), ('b', 'failed', 'timeout', now() - interval '1 hour'),
    ('a', 'failed', 'permanent', now() - interval '2 hours')`;
  const failed = await listFailedJobs(app.db, { limit: 9 });
  assertEquals(failed.map((job) => job.id), ["1", "2", "3"]);
  assertEquals((await listFailedJobs(app.db, { limit: 1, kind: "b" })).map((job) => job.id), ["2"]);
});

Deno.test("countJobs() counts by state", async () => {
  await using app = await freshApp();
  for (let n = 0; n < 3; n++) await enqueue(app.db, { kind: "work" });
  await claim(app.db);
  assertEquals(new Map(await countJobs(app.db)), new Map([["pending", 2], ["running", 1]]));
});

Deno.test("the oldest due job is found at whatever priority it waits, also when it was lost before", async () => {
  await using app = await freshApp();
  assertEquals(await getOldestDueSeconds(app.db, []), 0);
  await app.db.sql`insert into jobs (kind, run_at) values ('a', now() + interval '1 day')`;
  assertEquals(await getOldestDueSeconds(app.db, []), 0, "what is not due does not wait");
  await app.db.sql`insert into jobs (kind, priority, run_at) values
    ('a', 0, now() - interval '1 minute'), ('a', 3, now() - interval '10 minutes')`;
  assertEquals(Math.floor(await getOldestDueSeconds(app.db, []) / 60), 10);
  await app.db
    .sql`insert into jobs (kind, lost, run_at) values ('a', 1, now() - interval '20 minutes')`;
  assertEquals(Math.floor(await getOldestDueSeconds(app.db, []) / 60), 20);
});
