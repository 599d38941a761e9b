import { assert, assertEquals, assertRejects } from "@std/assert";
import type { Job } from "../../lib/contract.ts";
import {
  confirmEffect,
  denyEffect,
  getEffect,
  intendEffect,
  type NewIntention,
  planEffect,
  recordReference,
  withdrawEffect,
} from "../../lib/db/effects.ts";
import { enqueue } from "../../lib/db/jobs.ts";
import { freshApp, type Row, type TestApp, warmUp } from "../support/app.ts";
import { claim, endLeases, jobOf, settle } from "../support/jobs.ts";

const KEY = "contract:4521";

Deno.test("an intention is noted with the job and the claim that will be asked about it", async () => {
  await using app = await freshApp();
  const job = await claimed(app);
  const { held, intendedAt } = await intend(app, job, { detail: '{"sum":12345678901234567890}' });
  assertEquals([held, typeof intendedAt], [true, "string"]);
  const [row] = await app.rows`
    select job_id, kind, claim, state, tries, ref, detail::text, ends_at - intended_at as span from effects`;
  assertEquals(row, {
    job_id: job.id,
    kind: "work",
    claim: 1,
    state: "intended",
    tries: 1,
    ref: null,
    detail: '{"sum":12345678901234567890}',
    span: "00:00:11",
  });
});

Deno.test("a lease that ends before the call must is prolonged beyond it; a longer one stays as it is (rule 17)", async () => {
  await using app = await freshApp();
  const short = await claimed(app, 1);
  await intend(app, short, { seconds: 30 });
  const [left] = await app.rows`
    select ends_at <= locked_until as covered from effects join jobs on jobs.id = job_id`;
  assertEquals(left, { covered: true });
  const before = (await jobOf(app.db, short.id)).lockedUntil;
  await intend(app, short, { key: "other", seconds: 5 });
  assertEquals((await jobOf(app.db, short.id)).lockedUntil, before);
});

Deno.test("only the claim that still holds the job may intend: not an older one, not after its end, not past its lease (rule 17)", async () => {
  await using app = await freshApp();
  const job = await claimed(app);
  assertEquals(await intend(app, { ...job, claims: 0 }), { held: false, intendedAt: null });
  await endLeases(app.db);
  assertEquals(await intend(app, job), { held: false, intendedAt: null });
  await app.rows`update jobs set locked_until = now() + interval '1 minute'`;
  await settle(app.db, [job]);
  assertEquals(await intend(app, job), { held: false, intendedAt: null });
  assertEquals(await app.rows`select key from effects`, []);
});

Deno.test("of thirty intentions for one key at the same moment one is noted", async () => {
  await using app = await freshApp({ connection: { max: 15 } });
  await warmUp(app, 15);
  const jobs: Job[] = [];
  for (let n = 0; n < 30; n++) jobs.push(await claimed(app));
  const noted = await Promise.all(jobs.map((job) => intend(app, job)));
  assertEquals(noted.filter(({ intendedAt }) => intendedAt !== null).length, 1);
  assert(noted.every(({ held }) => held));
});

Deno.test("who looked at an older note cannot intend: another may have begun and be cut off since", async () => {
  await using app = await freshApp();
  const job = await claimed(app);
  const { intendedAt: first } = await intend(app, job);
  const { intendedAt: second } = await intend(app, job, { seen: first });
  assert(second !== null && second !== first);
  assertEquals((await intend(app, job, { seen: first })).intendedAt, null);
  assertEquals((await intend(app, job, { seen: null })).intendedAt, null);
});

Deno.test("what is done is never intended again", async () => {
  await using app = await freshApp();
  const job = await claimed(app);
  const { intendedAt } = await intend(app, job);
  await record(app, job, "ref-1");
  assertEquals((await intend(app, job, { seen: intendedAt })).intendedAt, null);
  const { state, ref, waitSeconds } = (await getEffect(app.db, KEY))!;
  assertEquals([state, ref], ["done", "ref-1"]);
  assert(waitSeconds > 10 && waitSeconds <= 11);
});

Deno.test("a reference is taken from a claim that was lost, and from one whose note is gone", async () => {
  await using app = await freshApp();
  const job = await claimed(app);
  await intend(app, job);
  await endLeases(app.db);
  assertEquals(await record(app, job, "ref-1"), "ref-1");
  await app.rows`delete from effects`;
  assertEquals(await record(app, job, "ref-1"), "ref-1");
  assertEquals((await getEffect(app.db, KEY))!.state, "done");
});

Deno.test("a second reference for one key is kept beside the first and a person is told, once", async () => {
  await using app = await freshApp();
  const job = await claimed(app);
  assertEquals(await record(app, job, "ref-1"), "ref-1");
  assertEquals(await record(app, job, "ref-1"), "ref-1");
  assertEquals(await app.rows`select topic from alerts`, []);
  assertEquals(await record(app, job, "ref-2"), "ref-1");
  const [effect] = await app.rows`select ref, to_json(other_refs) as others from effects`;
  assertEquals(effect, { ref: "ref-1", others: ["ref-2"] });
  assertEquals(await app.rows`select topic, pending, last_text from alerts`, [{
    topic: "work created twice",
    pending: 1,
    last_text:
      `work: created twice in the outside world\n${KEY}: ref-1 and ref-2\nhookwork effect '${KEY}'`,
  }]);
});

Deno.test("an intention whose call did nothing is forgotten; one that another has noted since stays", async () => {
  await using app = await freshApp();
  const job = await claimed(app);
  const { intendedAt: first } = await intend(app, job);
  const { intendedAt: second } = await intend(app, job, { seen: first });
  await withdrawEffect(app.db, KEY, first!);
  assertEquals((await getEffect(app.db, KEY))!.intendedAt, second);
  await withdrawEffect(app.db, KEY, second!);
  assertEquals(await getEffect(app.db, KEY), undefined);
});

Deno.test("a repeat that did nothing leaves the first call as unknown as it was", async () => {
  await using app = await freshApp();
  const job = await claimed(app);
  const { intendedAt: first } = await intend(app, job);
  const { intendedAt: second } = await intend(app, job, { seen: first, tries: 2 });
  await withdrawEffect(app.db, KEY, second!);
  const { state, tries } = (await getEffect(app.db, KEY))!;
  assertEquals([state, tries], ["intended", 1]);
});

Deno.test("a plan hides nothing that is real, and gives way to an intention", async () => {
  await using app = await freshApp();
  const job = await claimed(app);
  await planEffect(app.db, job, { key: KEY, detail: '{"n":1}' });
  await planEffect(app.db, job, { key: KEY, detail: '{"n":2}' });
  assertEquals(await app.rows`select state, detail::text from effects`, [
    { state: "planned", detail: '{"n":2}' },
  ]);
  const planned = (await getEffect(app.db, KEY))!;
  assertEquals(planned.waitSeconds, 0);
  assert((await intend(app, job, { seen: planned.intendedAt })).intendedAt !== null);
  await planEffect(app.db, job, { key: KEY, detail: null });
  assertEquals((await getEffect(app.db, KEY))!.state, "intended");
});

Deno.test("a person's word counts where the question is open, and not while the call may be under way", async () => {
  await using app = await freshApp();
  const job = await claimed(app);
  assertEquals(await confirmEffect(app.db, KEY, "ref"), false);
  assertEquals(await denyEffect(app.db, KEY), false);
  await intend(app, job);
  assertEquals(await denyEffect(app.db, KEY), false);
  await app.rows`update effects set ends_at = now() - interval '1 second'`;
  assertEquals(await denyEffect(app.db, KEY), true);
  await intend(app, job);
  assertEquals(await confirmEffect(app.db, KEY, "ref"), true);
  assertEquals(await confirmEffect(app.db, KEY, "other"), false);
  assertEquals(await denyEffect(app.db, KEY), false);
  assertEquals((await getEffect(app.db, KEY))!.ref, "ref");
});

Deno.test("the table refuses what can be neither done nor open", async () => {
  await using app = await freshApp();
  const broken = [
    () =>
      app
        .rows`insert into effects (key, job_id, kind, claim, state, tries) values ('a', 1, 'work', 1, 'done', 0)`,
    () =>
      app
        .rows`insert into effects (key, job_id, kind, claim, state, tries) values ('a', 1, 'work', 1, 'intended', 1)`,
    () =>
      app.rows`
      insert into effects (key, job_id, kind, claim, state, tries, ref) values ('a', 1, 'work', 1, 'planned', 0, 'x')`,
  ];
  for (const insert of broken) await assertRejects(insert, Error, "violates check constraint");
});

/** A job that this claim holds. */
async function claimed(app: TestApp, leaseSeconds = 60): Promise<Job> {
  await enqueue(app.db, { kind: "work" });
  return (await claim(app.db, { leaseSeconds }))[0]!;
}

async function intend(app: TestApp, job: Job, parts: Partial<NewIntention> = {}): Promise<Row> {
  const intention = { key: KEY, detail: null, seconds: 11, tries: 1, seen: null, ...parts };
  return { ...await intendEffect(app.db, job, intention) };
}

function record(app: TestApp, job: Job, ref: string): Promise<string> {
  return recordReference(app.db, job, { key: KEY, ref, detail: null });
}
