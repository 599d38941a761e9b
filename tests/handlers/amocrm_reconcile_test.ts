import { assertEquals, assertRejects } from "@std/assert";
import { amocrm as source } from "../../lib/sources/amocrm.ts";
import { amocrmReconcile } from "../../lib/handlers/amocrm_reconcile.ts";
import { enqueue, getNewestJobTime } from "../../lib/db/jobs.ts";
import { beat } from "../../lib/db/gaps.ts";
import { createGaps } from "../../lib/flow/watch.ts";
import { createHandler } from "../../lib/web/routes.ts";
import { createIntake } from "../../lib/flow/intake.ts";
import { watchOutage } from "../../lib/flow/outage.ts";
import { watchProofs } from "../../lib/flow/proofs.ts";
import { serve } from "../../lib/web/server.ts";
import { prepareContract } from "../../lib/handlers/prepare_contract.ts";
import { amocrmEvents } from "../../lib/base/amocrm_tasks.ts";
import { CONTRACT, NEW, PIPELINE } from "../demo/fake_amocrm/support.ts";
import { clientOf, longLived, startWorld } from "../outside/amocrm/support.ts";
import { testApp } from "../support/app.ts";
import { fits, run } from "./support.ts";

const SLOT = { slot: "2026-12-01T00:00Z", late: false };
const SECRET = "reconcile-world-0123456789abcdefgh";
const settings = {
  AMOCRM_ACCOUNT: "hw-sample",
  AMOCRM_CONTRACT_PIPELINE_ID: `${PIPELINE}`,
  AMOCRM_CONTRACT_STAGE_ID: `${CONTRACT}`,
  CONTRACT_TEMPLATE_VERSION: "v1",
};

/** A fake account, and a receiver to which its webhooks come until they are lost. */
async function startReconciling() {
  await using stack = new AsyncDisposableStack();
  // Each change in a second of its own, an hour ago: two alike in one second are one delivery.
  let second = Math.floor(Date.now() / 1000) - 3600;
  const world = stack.use(await startWorld({ timeScale: 1e-4, now: () => second++ }));
  const { fake } = world;
  const url = world.app.config.DATABASE_URL;
  const app = stack.use(testApp({
    url,
    handlers: [prepareContract],
    sources: { amocrm: source.create({ ...settings, AMOCRM_WEBHOOK_SECRET: [SECRET] }) },
  }));
  const intake = createIntake(app, watchOutage(app, "receiver"));
  const handler = createHandler({ app, intake, proofs: watchProofs(app) });
  const server = serve(app, handler, { hostname: "127.0.0.1", port: 0 });
  stack.defer(() => server.stop());
  fake.hooks.subscribe(`http://127.0.0.1:${server.port}/hooks/amocrm/${SECRET}`, amocrmEvents);
  await beat(app.db, ["amocrm"], { graceSeconds: 120, reason: "down" });
  const held = stack.move();
  return {
    app,
    fake,
    /** Nobody was there for the last two hours. */
    async down() {
      await app
        .rows`update source_watch set since = now() - interval '1 day', reconciled_until = now() - interval '2 hours',
        taken_until = now() - interval '2 hours'`;
      await beat(app.db, ["amocrm"], { graceSeconds: 120, reason: "down" });
      // As if it had ended a while ago, so that it has settled.
      await app.rows`update gaps set ended_at = now() - interval '11 minutes'`;
    },
    async reconcile(shadow = false) {
      const client = clientOf(app, longLived(fake));
      return await run(amocrmReconcile, SLOT, {
        clients: { amocrm: client },
        settings,
        shadow,
        sql: app.handlerDb.sql,
        log: app.log,
        gaps: createGaps(app.db),
        newestJob: (entity) => getNewestJobTime(app.db, entity),
        enqueue: (job) => shadow ? Promise.resolve(undefined) : enqueue(app.db, job),
      });
    },
    async leads() {
      const rows = await app.rows`select payload->>'lead' as lead from jobs order by id`;
      return rows.map(({ lead }) => Number(lead));
    },
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  };
}

Deno.test("Hooks lost for an hour: reconciliation finds every deal, once, and leaves alone what the webhooks told (F135)", async () => {
  await using world = await startReconciling();
  const { fake: { crm, hooks } } = world;
  const told = crm.createLead({ pipeline_id: PIPELINE, status_id: NEW });
  crm.changeLead(told.id, { status_id: CONTRACT });
  await hooks.idle();
  hooks.switches.lost = true;
  const moved = Array.from(
    { length: 150 },
    () => crm.createLead({ pipeline_id: PIPELINE, status_id: NEW }),
  );
  for (const { id } of moved) crm.changeLead(id, { status_id: CONTRACT });
  crm.changeLead(told.id, { price: 5 });
  const made = crm.createLead({ pipeline_id: PIPELINE, status_id: CONTRACT });
  const elsewhere = crm.createLead({ pipeline_id: 1, status_id: CONTRACT });
  const before = await world.leads();
  assertEquals(new Set(before), new Set([told.id]));
  await world.down();
  await world.reconcile();
  const found = (await world.leads()).slice(before.length);
  assertEquals(found.toSorted(), [...moved, made].map(({ id }) => id));
  assertEquals(found.includes(elsewhere.id), false);
  await world.reconcile();
  assertEquals((await world.leads()).length, before.length + found.length);
  assertEquals(await world.app.rows`select result from gaps where closed_at is not null`, [
    { result: "151 deal(s) had been missed" },
  ]);
});

Deno.test("A deal that came to the stage and left it again is found in the journal, though no list of deals shows it", async () => {
  await using world = await startReconciling();
  const { fake: { crm, hooks } } = world;
  hooks.switches.lost = true;
  const { id } = crm.createLead({ pipeline_id: PIPELINE, status_id: NEW });
  crm.changeLead(id, { status_id: CONTRACT });
  crm.changeLead(id, { status_id: NEW });
  await world.down();
  await world.reconcile();
  assertEquals(await world.leads(), [id]);
});

Deno.test("What the journal does not show is found among the deals, unless it has a contract already", async () => {
  await using world = await startReconciling();
  const { fake, app } = world;
  const { crm, hooks } = fake;
  hooks.switches.lost = true;
  const [fresh, done] = [1, 2].map(() =>
    crm.createLead({ pipeline_id: PIPELINE, status_id: CONTRACT })
  );
  fake.faults.always({ status: 204, page: "" }, { path: "/events" });
  fake.switches.ignoredFilters.add("leads");
  await app.rows`
    insert into contract_documents (account_id, lead_id, template_ver, doc_number, doc_date, file_path)
    values (${fake.account.id}, ${done!.id}, 'v0', '1', '2026-01-01', 'a.pdf')`;
  await world.down();
  await world.reconcile();
  assertEquals(await world.leads(), [fresh!.id]);
});

Deno.test("A gap stays open when amoCRM does not answer, and in shadow", async () => {
  await using world = await startReconciling();
  const { fake, app } = world;
  await world.down();
  const open = async () => (await app.rows`select from gaps where closed_at is null`).length;
  fake.faults.always({ status: 504 }, { path: "/leads" });
  await assertRejects(() => world.reconcile());
  assertEquals(await open(), 1);
  fake.faults.clear();
  await world.reconcile(true);
  assertEquals(await open(), 1);
  await world.reconcile();
  assertEquals(await open(), 0);
});

Deno.test("amocrm.reconcile takes what its schedule gives", () => {
  assertEquals(fits(amocrmReconcile, SLOT), true);
});
