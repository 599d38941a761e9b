import { assert, assertEquals } from "@std/assert";
import { renewLeases, settleJobs, sweepLostJobs } from "../../lib/db/claims.ts";
import { enqueue } from "../../lib/db/jobs.ts";
import { decide } from "../../lib/flow/decide.ts";
import { freshApp, type TestApp, warmUp } from "../support/app.ts";
import { claim, endLeases, jobOf, plain, settle } from "../support/jobs.ts";

Deno.test("a failed attempt waits out its pause, and after the last the job is failed", async () => {
  await using app = await freshApp();
  const id = await enqueue(app.db, { kind: "work", maxAttempts: 2 });
  await failOnce(app);
  const waiting = await jobOf(app.db, id);
  assertEquals([waiting.status, waiting.attempts, waiting.lastError], ["pending", 1, "boom"]);
  assertEquals(await claim(app.db), [], "it must wait");
  const [row] = await app.rows`
    select extract(epoch from run_at - now())::float8 as seconds from jobs`;
  assert(row!.seconds > 8 && row!.seconds <= 10, `${row!.seconds} s`);
  await app.rows`update jobs set run_at = now()`;
  await failOnce(app);
  const failed = await jobOf(app.db, id);
  assertEquals([failed.status, failed.reason, failed.attempts], ["failed", "exhausted", 2]);
  await app.rows`update jobs set run_at = now()`;
  assertEquals(await claim(app.db), [], "it must not run again");
});

Deno.test("two claims of one job in one batch are told apart: only the newer ends it (rule 6)", async () => {
  await using app = await freshApp();
  const id = await enqueue(app.db, { kind: "work" });
  const [older] = await claim(app.db);
  const [newer] = await loseAndClaim(app);
  const held = await plain(settleJobs(app.db, [
    { ...older!, ...decide(older!, { is: "done", result: "old" }) },
    { ...newer!, ...decide(newer!, { is: "done", result: "new" }) },
  ]));
  assertEquals(held, [{ id: id!, claims: 2 }]);
  assertEquals((await jobOf(app.db, id)).result, "new");
});

Deno.test("a claim whose lease was taken over can neither finish, fail, release nor renew the job (rule 6)", async () => {
  await using app = await freshApp();
  const id = await enqueue(app.db, { kind: "work" });
  const stale = await claim(app.db, { worker: "same name" });
  await loseAndClaim(app, "same name");
  assertEquals(await settle(app.db, stale), []);
  assertEquals(await settle(app.db, stale, { status: "failed", reason: "permanent" }), []);
  assertEquals(await settle(app.db, stale, { status: "pending", refund: true }), []);
  assertEquals(await plain(renewLeases(app.db, [{ ...stale[0]!, leaseSeconds: 60 }])), []);
  const job = await jobOf(app.db, id);
  assertEquals([job.status, job.claims, job.attempts], ["running", 2, 2]);
  assertEquals(await app.rows`select from alerts`, []);
});

Deno.test("a claim is settled once: its second settlement changes nothing", async () => {
  await using app = await freshApp();
  const id = await enqueue(app.db, { kind: "work" });
  const claims = await claim(app.db);
  await settle(app.db, claims, { result: "first" });
  assertEquals(await settle(app.db, claims, { result: "second" }), []);
  assertEquals((await jobOf(app.db, id)).result, "first");
});

Deno.test("a lease that ended is still its worker's as long as nobody has taken the job", async () => {
  await using app = await freshApp();
  await enqueue(app.db, { kind: "work" });
  const [job] = await claim(app.db);
  await endLeases(app.db);
  const kept = await plain(renewLeases(app.db, [{ ...job!, leaseSeconds: 60 }]));
  assertEquals(kept, [{ id: job!.id, claims: 1, renewed: true }]);
  assertEquals(await plain(sweepLostJobs(app.db, 10)), []);
});

Deno.test("a row that somebody keeps locked costs only itself its renewal, and is not taken for lost", async () => {
  await using app = await freshApp();
  for (let n = 0; n < 3; n++) await enqueue(app.db, { kind: "work" });
  const jobs = await claim(app.db, { limit: 3 });
  const locked = jobs[1]!.id;
  await app.db.sql.begin(async (sql) => {
    await sql`select from jobs where id = ${locked} for update`;
    const kept = await renewLeases(app.db, jobs.map((job) => ({ ...job, leaseSeconds: 500 })));
    const busy = kept.filter(({ renewed }) => !renewed);
    assertEquals([kept.length, busy.map(({ id }) => id)], [3, [locked]]);
  });
});

Deno.test("renewLeases() gives each claim its own length, in whatever order they come", async () => {
  await using app = await freshApp();
  await enqueue(app.db, { kind: "work" });
  await enqueue(app.db, { kind: "work" });
  const jobs = await claim(app.db, { limit: 2 });
  const lengths = [500, 50];
  await renewLeases(
    app.db,
    jobs.toReversed().map((job, index) => ({ ...job, leaseSeconds: lengths[index]! })),
  );
  const rows = await app.rows`
    select id, round(extract(epoch from locked_until - now()) / 50)::int * 50 as seconds
    from jobs order by locked_until`;
  assertEquals(rows, [{ id: jobs[0]!.id, seconds: 50 }, { id: jobs[1]!.id, seconds: 500 }]);
});

Deno.test("a released job gets its attempt back, but never its claim number (rule 7)", async () => {
  await using app = await freshApp();
  const id = await enqueue(app.db, { kind: "work", maxAttempts: 3 });
  for (const round of [1, 2, 3, 4, 5]) {
    const claims = await claim(app.db);
    assertEquals([claims[0]?.attempts, claims[0]?.claims], [1, round]);
    await settle(app.db, claims, { status: "pending", refund: true });
  }
  const job = await jobOf(app.db, id);
  assertEquals([job.attempts, job.claims, job.lost, job.lastError], [0, 5, 0, null]);
});

Deno.test("a job that succeeds keeps the error of its earlier attempt", async () => {
  await using app = await freshApp();
  const id = await enqueue(app.db, { kind: "work" });
  await settle(app.db, await claim(app.db), { status: "pending", error: "boom" });
  await settle(app.db, await claim(app.db), { result: "well" });
  const job = await jobOf(app.db, id);
  assertEquals([job.status, job.lastError, job.result], ["done", "boom", "well"]);
});

Deno.test("parallel batches of settlements in opposite orders end all jobs, without a deadlock", async () => {
  await using app = await freshApp({ connection: { max: 8 } });
  await warmUp(app, 8);
  await app.rows`insert into jobs (kind) select 'work' from generate_series(1, 400)`;
  const jobs = await claim(app.db, { limit: 400 });
  const batches = Array.from({ length: 8 }, (_, index) => index % 2 ? jobs : jobs.toReversed());
  const held = await Promise.all(batches.map((batch) => settle(app.db, batch)));
  assertEquals(held.flat().length, 400);
  assertEquals(new Set(held.flat().map((claim) => claim.id)).size, 400);
});

async function failOnce(app: TestApp): Promise<void> {
  const jobs = await claim(app.db);
  const ending = { is: "threw", error: new Error("boom") } as const;
  await settleJobs(
    app.db,
    jobs.map((job) => ({ ...job, ...decide(job, ending, () => 0.25) })),
  );
}

async function loseAndClaim(app: TestApp, worker = "other") {
  await endLeases(app.db);
  await sweepLostJobs(app.db, 10);
  return await claim(app.db, { worker, quarantined: true });
}
