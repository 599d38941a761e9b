import { assertEquals } from "@std/assert";
import { failHeldJobs } from "../../lib/db/held_jobs.ts";
import { enqueue, insertJobs, jobRow } from "../../lib/db/jobs.ts";
import { pauseLane } from "../../lib/db/lanes.ts";
import { freshApp } from "../support/app.ts";

Deno.test("an entity with more stale jobs than are given up at once does not keep the others from it (rule 21)", async () => {
  await using app = await freshApp();
  const stale = Array.from({ length: 20 }, () => jobRow({ kind: "work", entity: "lead:1" }));
  const [head] = await insertJobs(app.db, stale);
  const other = await enqueue(app.db, { kind: "work", entity: "lead:2" });
  const free = await enqueue(app.db, { kind: "work" });
  await app.rows`update jobs set run_at = now() - interval '8 days'`;
  await pauseLane(app.db, { name: "crm", seconds: null, reason: "answered 402" });
  await app.rows`update lanes set since = now() - interval '8 days'`;
  const kinds = [{ kind: "work", lane: "crm" }];
  const failed = await failHeldJobs(app.db, { kinds, days: 7, limit: 10 });
  assertEquals(failed.map(({ id }) => id).sort(), [head!, other!, free!].sort());
  const after = await failHeldJobs(app.db, { kinds, days: 7, limit: 10 });
  assertEquals(after.length, 1, "the next of that entity, whose turn it is now");
});
