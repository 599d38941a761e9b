import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { insertDeliveries } from "../../../lib/db/events.ts";
import { enqueue, jobRow } from "../../../lib/db/jobs.ts";
import { pauseLaneByHand } from "../../../lib/db/lanes_view.ts";
import { freshApp, type TestApp } from "../../support/app.ts";
import { claim, deliveryRow, settle } from "../../support/jobs.ts";
import { cli } from "../support.ts";

const form = deliveryRow({
  dedupKey: "form-17",
  headers: { "user-agent": "Site\x1b[31m/1" },
  body: new TextEncoder().encode('{"id":"form-17"}'),
  jobs: [jobRow({ kind: "work", payload: { n: 1 } }), jobRow({ kind: "mail", key: "mail-17" })],
});

/** An event whose job `work` failed for good, while its `mail` waits; the id of the failed job. */
async function failForGood(app: TestApp): Promise<string> {
  await insertDeliveries(app.db, [form]);
  const [taken] = await claim(app.db);
  const error = "Cannot call\nthe \x1b[2Jother side";
  await settle(app.db, [taken!], { status: "failed", reason: "permanent", error });
  return taken!.id;
}

Deno.test("a repeated event restarts no failed job; event, job and failed show how a person does", async () => {
  await using app = await freshApp();
  const id = await failForGood(app);
  assertEquals((await insertDeliveries(app.db, [form])).map((stored) => stored.id), [null]);
  for (const args of [["event", "1"], ["job", id], ["failed"]]) {
    const { exitCode, output } = await cli(app.config.DATABASE_URL, args);
    assertEquals(exitCode, 0);
    assertStringIncludes(output, `hookwork retry ${id}\n`, `${args}`);
  }
  assertEquals(await app.rows`select status from jobs order by id`, [
    { status: "failed" },
    { status: "pending" },
  ]);
});

Deno.test("job shows its whole history, its event and that event's other jobs, without obeying their controls", async () => {
  await using app = await freshApp();
  const id = await failForGood(app);
  const { output } = await cli(app.config.DATABASE_URL, ["job", id]);
  for (
    const part of [
      `Job ${id}  work  failed: permanent`,
      "1/8 (claims: 1, lost: 0)",
      "Cannot call\n",
      "the \\u001b[2Jother side",
      '{"n":1}',
      "Event 1  site",
      "form-17",
      "user-agent: Site\\u001b[31m/1",
      '{"id":"form-17"}',
      "mail  pending",
      "mail-17",
    ]
  ) assertStringIncludes(output, part);
  assert(!output.includes("\x1b"));
});

Deno.test("job shows who holds a running job and until when", async () => {
  await using app = await freshApp();
  await app.rows`
    insert into jobs (kind, status, locked_by, locked_until, started_at)
    values ('work', 'running', 'host/12', '2026-03-01T10:00:00Z', '2026-03-01T09:59:00Z')`;
  const { output } = await cli(app.config.DATABASE_URL, ["job", "1"]);
  assertStringIncludes(output, "host/12");
  assertStringIncludes(output, "2026-03-01 13:00:00+03:00");
  assertStringIncludes(output, "It grew from no event.");
  assert(!output.includes("hookwork retry"));
});

Deno.test("job --json tells job, event and siblings apart", async () => {
  await using app = await freshApp();
  const id = await failForGood(app);
  const { output } = await cli(app.config.DATABASE_URL, ["job", id, "--json"]);
  const { job, event, siblings } = JSON.parse(output);
  assertEquals([job.id, job.payload, job.eventId], [id, { n: 1 }, "1"]);
  assertEquals([event.id, event.body], ["1", { bytes: 16, text: '{"id":"form-17"}' }]);
  assertEquals(siblings.map((sibling: { kind: string }) => sibling.kind), ["mail"]);
});

Deno.test("job cuts a payload that would flood the terminal, and gives all of it as JSON", async () => {
  await using app = await freshApp();
  const payload = JSON.stringify({ text: "x".repeat(5000) });
  await app.rows`insert into jobs (kind, payload) values ('work', ${payload}::text::json)`;
  const text = await cli(app.config.DATABASE_URL, ["job", "1"]);
  assert(text.output.length < 3000);
  const json = await cli(app.config.DATABASE_URL, ["job", "1", "--json"]);
  assertEquals(JSON.stringify(JSON.parse(json.output).job.payload), payload);
});

Deno.test("job says of an emptied job since when its payload is gone, and offers no retry that would be refused", async () => {
  await using app = await freshApp();
  await app.rows`
    insert into jobs (kind, key, status, reason, finished_at, payload_removed_at)
    values ('work', 'paid:7', 'failed', 'timeout', '2026-01-01', '2026-04-01T12:00Z')`;
  const { output } = await cli(app.config.DATABASE_URL, ["job", "1"]);
  assertStringIncludes(output, "removed by retention on 2026-04-01 15:00:00+03:00");
  assert(!output.includes("hookwork retry"), output);
});

Deno.test("job says what a pending job waits for: the one before it, and the lane that is paused", async () => {
  await using app = await freshApp();
  const newJob = { kind: "telegram.message", entity: "chat:7" };
  const [first, second] = [await enqueue(app.db, newJob), await enqueue(app.db, newJob)];
  await claim(app.db, { kinds: ["telegram.message"] });
  await pauseLaneByHand(app.db, "telegram", "The bot moves");
  const { output } = await cli(app.config.DATABASE_URL, ["job", second!]);
  for (
    const part of [
      "chat:7",
      `It waits for job ${first} (telegram.message, running), which has the turn of its entity.`,
      "It waits for the lane telegram, paused since",
      "The bot moves",
    ]
  ) assertStringIncludes(output, part);
  const running = await cli(app.config.DATABASE_URL, ["job", first!]);
  assert(!running.output.includes("It waits for"), "what runs waits for nothing");
});
