import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { PermanentError } from "../../lib/base/errors.ts";
import { sweepLostJobs } from "../../lib/db/claims.ts";
import { createSettler } from "../../lib/flow/settle.ts";
import { freshApp, type TestApp, testApp } from "../support/app.ts";
import { testDatabase } from "../support/database.ts";
import { claim, endLeases, jobOf } from "../support/jobs.ts";
import { startProxy } from "../support/proxy.ts";
import { until } from "../support/until.ts";

const never = new AbortController().signal;

Deno.test("settle() says what became of each job, also when many end in the same instant", async () => {
  await using app = await freshApp();
  const jobs = await claimed(app, 50);
  const settler = createSettler(app, never);
  const transitions = await Promise.all(
    jobs.map((job, index) =>
      settler.settle(
        job,
        index % 2 ? { is: "done", result: `${index}` } : { is: "threw", error: "no" },
      )
    ),
  );
  assertEquals(
    transitions.map((transition) => transition?.status),
    jobs.map((_, index) => index % 2 ? "done" : "pending"),
  );
  assertEquals((await jobOf(app.db, jobs[7]!.id)).result, "7");
});

Deno.test("the ending of a claim whose lease was lost is dropped", async () => {
  await using app = await freshApp();
  const [job] = await claimed(app);
  await endLeases(app.db);
  await sweepLostJobs(app.db, 10);
  assertEquals(await createSettler(app, never).settle(job!, { is: "done" }), undefined);
  assertEquals((await jobOf(app.db, job!.id)).status, "pending");
});

Deno.test("an ending outlives an outage: the database takes it when it is back", async () => {
  await using database = await testDatabase();
  await using proxy = startProxy(database.url);
  await using app = testApp({ url: proxy.url });
  const [job] = await claimed(app);
  proxy.cut();
  const settling = createSettler(app, never).settle(job!, { is: "done" });
  await until("it was tried", () => app.lines.some(({ message }) => message.includes("settle")));
  proxy.heal();
  assertEquals((await settling)?.status, "done");
  assertEquals((await jobOf(app.db, job!.id)).status, "done");
});

Deno.test("an ending that the database never takes is left to the lease when the worker must go", async () => {
  await using database = await testDatabase();
  await using proxy = startProxy(database.url);
  await using app = testApp({ url: proxy.url });
  const [job] = await claimed(app);
  proxy.cut();
  const abandon = new AbortController();
  const settling = createSettler(app, abandon.signal).settle(job!, { is: "done" });
  await until("it was tried", () => app.lines.length > 0);
  abandon.abort();
  assertEquals(await settling, undefined);
});

Deno.test("no secret, no zero byte and no endless text reaches the table", async () => {
  await using app = await freshApp();
  const [one, two] = await claimed(app, 2);
  const settler = createSettler(app, never);
  const error = new PermanentError(`s3cret\0\ud800${"x".repeat(9000)}`);
  await Promise.all([
    settler.settle(one!, { is: "threw", error }),
    settler.settle(two!, { is: "done", result: `s3cret\0${"y".repeat(9000)}` }),
  ]);
  const failed = await jobOf(app.db, one!.id);
  assertStringIncludes(failed.lastError!, "***\ufffd\ufffdxxx");
  assertEquals(failed.lastError!.length, 4000);
  assertEquals((await jobOf(app.db, two!.id)).result!.length, 1000);
  assertEquals(await app.rows`select from alerts where last_text like '%s3cret%'`, []);
});

Deno.test("a text that the database refuses costs neither its own job nor the others their ending", async () => {
  await using app = await freshApp();
  const jobs = await claimed(app, 3);
  await refuse(app, "new.last_error like '%poison%'", "22P05");
  const settler = createSettler(app, never);
  const transitions = await Promise.all(
    jobs.map((job, index) =>
      settler.settle(job, {
        is: "threw",
        error: new PermanentError(index === 1 ? "poison" : "plain"),
      })
    ),
  );
  assertEquals(transitions.map((transition) => transition?.status), ["failed", "failed", "failed"]);
  const errors = await Promise.all(jobs.map((job) => jobOf(app.db, job.id)));
  assertEquals(errors.map(({ lastError }) => lastError), [
    "plain",
    "The error's text could not be stored",
    "plain",
  ]);
});

Deno.test("an ending that is refused in every form is tried with pauses, not in a loop that burns a core", async () => {
  await using app = await freshApp();
  const [job] = await claimed(app);
  await refuse(app, "new.status = 'done'", "23514");
  const abandon = new AbortController();
  const settling = createSettler(app, abandon.signal).settle(job!, { is: "done", result: "x" });
  await until("it was tried three times", () => app.lines.length >= 3);
  abandon.abort();
  assertEquals(await settling, undefined);
  assert(app.lines.length <= 4, `${app.lines.length} tries`);
});

async function claimed(app: TestApp, count = 1) {
  await app.db
    .sql`insert into jobs (kind) select 'work' from generate_series(1, ${count}::integer)`;
  const jobs = await claim(app.db, { limit: count });
  return jobs.toSorted((a, b) => Number(a.id) - Number(b.id));
}

async function refuse(app: TestApp, when: string, code: string): Promise<void> {
  await app.db.sql.unsafe(`
    create function refuse() returns trigger language plpgsql as $$
      begin raise exception 'refused' using errcode = '${code}'; end $$;
    create trigger refuse before update on jobs for each row when (${when}) execute function refuse()`);
}
