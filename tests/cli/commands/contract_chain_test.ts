import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { freshApp, type TestApp } from "../../support/app.ts";
import { cli } from "../support.ts";

const HASH = "ab".repeat(32);

/** Two webhooks of a deal and one of another; the second job of the deal absorbed the first. */
async function twoContracts(app: TestApp): Promise<void> {
  await app
    .rows`insert into events (id, source, secret_index, path, query, headers, body, received_at) overriding system value
    select id, 'amocrm', 0, '/hooks/amocrm/***', '', '{}', '', timestamptz '2026-11-30 10:00Z' + make_interval(mins => id::integer)
    from generate_series(1, 3) as id`;
  await app
    .rows`insert into jobs (event_id, kind, payload, status, superseded_by, finished_at, result, created_at)
    select event, 'prepare_contract', json_build_object('lead', lead), status,
      case status when 'superseded' then 2 end, now(), result,
      timestamptz '2026-11-30 10:00:01Z' + make_interval(mins => event)
    from (values (1, '4521', 'superseded', null), (2, '4521', 'done', 'contract 2026-0001, note 771'), (3, '45210', 'done', 'other'))
      as given (event, lead, status, result)`;
  await app
    .rows`insert into effects (key, job_id, kind, claim, state, tries, ref, other_refs, intended_at, ends_at, done_at)
    select 'contract:1:4521:v1', id, kind, 1, 'done', 0, '771', '{772}', timestamptz '2026-11-30 10:03Z', now(), now()
    from jobs where result like 'contract%'`;
  await app
    .rows`insert into contract_documents (account_id, lead_id, template_ver, doc_number, doc_date, file_path, content_hash, crm_note_ref)
    values (1, 4521, 'v1', '2026-0001', '2026-11-30', 'contract-1-4521-v1.pdf', ${HASH}, '771'),
      (1, 4521, 'v2', '2026-0002', '2026-11-30', 'contract-1-4521-v2.pdf', null, null),
      (1, 45210, 'v1', '2026-0003', '2026-11-30', 'contract-1-45210-v1.pdf', null, null)`;
}

Deno.test("contract <lead> shows both contracts of a deal, from which webhooks they came, and the note that was made twice", async () => {
  await using app = await freshApp();
  await twoContracts(app);
  const { exitCode, output } = await cli(app.config.DATABASE_URL, ["contract", "4521"]);
  assertEquals(exitCode, 0);
  assertStringIncludes(output, "Deal 4521 has 2 contract(s).");
  assertStringIncludes(output, "contract-1-4521-v2.pdf (not stored yet)");
  assertStringIncludes(output, "done 771 and again 772");
  assert(!output.includes("45210"), output);
  const steps = output.slice(output.indexOf("TIME")).split("\n").slice(1);
  const shown = steps.map((line) => /(?:event|job|effect) \S+/.exec(line)?.[0]).filter(Boolean);
  assertEquals(shown, ["event 1", "job 1", "event 2", "job 2", "effect contract:1:4521:v1"]);
  assertStringIncludes(steps[1]!, "superseded");
});

Deno.test("contract <lead> gives its parts as JSON, without the bodies of webhooks", async () => {
  await using app = await freshApp();
  await twoContracts(app);
  const { output } = await cli(app.config.DATABASE_URL, ["contract", "4521", "--json"]);
  const { lead, contracts, events, jobs, effects } = JSON.parse(output);
  assertEquals([lead, contracts.length, jobs.length, effects.length], ["4521", 2, 2, 1]);
  assertEquals(events.map(Object.keys), [["id", "receivedAt"], ["id", "receivedAt"]]);
});

Deno.test("contract <lead> says of a deal that nothing is known of it, and asks for the lead", async () => {
  await using app = await freshApp();
  const run = (...args: string[]) => cli(app.config.DATABASE_URL, ["contract", ...args]);
  assertStringIncludes((await run("7")).output, "Deal 7 has 0 contract(s).");
  assertStringIncludes((await run()).errors, "missing required argument 'lead'");
  assertEquals((await run("x7")).exitCode, 2);
});
