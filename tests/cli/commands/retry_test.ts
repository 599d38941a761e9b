import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { enqueue } from "../../../lib/db/jobs.ts";
import { freshApp } from "../../support/app.ts";
import { claim, jobOf } from "../../support/jobs.ts";
import { cli } from "../support.ts";

Deno.test("retry gives a job that failed days ago a fresh budget, keeps its history, and it really runs", async () => {
  await using app = await freshApp();
  const [{ id }] = await app.rows`
    insert into jobs (kind, status, reason, attempts, max_attempts, claims, lost, last_error,
      run_at, created_at, started_at, finished_at)
    values ('work', 'failed', 'exhausted', 5, 5, 7, 2, 'the last error',
      now() - interval '3 days', now() - interval '4 days', now() - interval '3 days', now() - interval '3 days')
    returning id` as [{ id: string }];
  const { exitCode, output } = await cli(app.config.DATABASE_URL, ["retry", id]);
  assertEquals(exitCode, 0);
  assertStringIncludes(output, `Job ${id} (work) is due again, with 5 new attempts`);
  const job = await jobOf(app.db, id);
  assertEquals(
    { status: job.status, reason: job.reason, attempts: job.attempts, lost: job.lost },
    { status: "pending", reason: null, attempts: 0, lost: 0 },
  );
  assertEquals({ claims: job.claims, lastError: job.lastError }, {
    claims: 7,
    lastError: "the last error",
  });
  const [claimed] = await claim(app.db);
  assertEquals({ id: claimed?.id, attempts: claimed?.attempts, claims: claimed?.claims }, {
    id,
    attempts: 1,
    claims: 8,
  });
});

Deno.test("retry refuses a running job and says who holds it, so that no work is done twice", async () => {
  await using app = await freshApp();
  const id = (await enqueue(app.db, { kind: "work" }))!;
  await claim(app.db, { worker: "host/12" });
  const { exitCode, output, errors } = await cli(app.config.DATABASE_URL, ["retry", id]);
  assertEquals({ exitCode, output }, { exitCode: 1, output: "" });
  assertStringIncludes(errors, "host/12");
  const { status, attempts } = await jobOf(app.db, id);
  assertEquals({ status, attempts }, { status: "running", attempts: 1 });
});

Deno.test("retry refuses an unknown job, also one with the largest id there is", async () => {
  await using app = await freshApp();
  const { exitCode, errors } = await cli(app.config.DATABASE_URL, ["retry", "9223372036854775807"]);
  assertEquals({ exitCode, errors }, {
    exitCode: 1,
    errors: "Cannot retry job 9223372036854775807: there is no such job\n",
  });
});

Deno.test("retry --json gives the job as it is now, its id as text", async () => {
  await using app = await freshApp();
  await app.rows`
    insert into jobs (id, kind, status, reason, finished_at)
    values (9007199254740993, 'work', 'failed', 'permanent', now())`;
  const { output } = await cli(app.config.DATABASE_URL, ["retry", "9007199254740993", "--json"]);
  const { id, status } = JSON.parse(output);
  assertEquals({ id, status }, { id: "9007199254740993", status: "pending" });
  assert(output.endsWith("}\n"));
});

Deno.test("retry --again says what will not be created a second time, or a person waits for it in vain", async () => {
  await using app = await freshApp();
  await app
    .rows`insert into jobs (id, kind, status, finished_at) values (7, 'work', 'done', now())`;
  await app.rows`
    insert into effects (key, kind, job_id, claim, state, tries, ref, intended_at, done_at)
    values ('note:7', 'work', 7, 1, 'done', 1, '991', now(), now())`;
  const { output } = await cli(app.config.DATABASE_URL, ["retry", "7", "--again"]);
  assertStringIncludes(output, "It will not create again what exists:  hookwork effect note:7\n");
});
