/** Webhooks of the fake amoCRM into a real receiver and a real database: what arrives there is what a person did here. */

import { assertEquals } from "@std/assert";
import { z } from "zod";
import type { Amocrm } from "../../demo/fake_amocrm/server.ts";
import { amocrmEvents } from "../../lib/base/amocrm_tasks.ts";
import { defineHandler } from "../../lib/define.ts";
import { createIntake } from "../../lib/flow/intake.ts";
import { watchOutage } from "../../lib/flow/outage.ts";
import { watchProofs } from "../../lib/flow/proofs.ts";
import { amocrm } from "../../lib/sources/amocrm.ts";
import { createHandler } from "../../lib/web/routes.ts";
import { serve } from "../../lib/web/server.ts";
import { clientOf, CONTRACT, NEW, PIPELINE, start } from "../demo/fake_amocrm/support.ts";
import { freshApp, type TestApp } from "../support/app.ts";
import { until } from "../support/until.ts";

const SECRET = "system-test-0123456789abcdefghijk";
const OTHER_PIPELINE = 7_300_120;

const prepareContract = defineHandler({
  kind: "prepare_contract",
  payload: z.object({ account: z.string(), lead: z.string(), templateVersion: z.string() }),
  run: () => Promise.resolve(),
});

interface World extends AsyncDisposable {
  readonly app: TestApp;
  readonly fake: Amocrm;
  /** The deals of the jobs, in their order. */
  deals(): Promise<string[]>;
}

/** An account whose webhook is subscribed to what the table of tasks asks for. */
async function startWorld(
  options: { account?: string; events?: readonly string[] } = {},
): Promise<World> {
  await using stack = new AsyncDisposableStack();
  const source = amocrm.create({
    AMOCRM_ACCOUNT: options.account ?? "31700412",
    AMOCRM_WEBHOOK_SECRET: [SECRET],
    AMOCRM_CONTRACT_PIPELINE_ID: `${PIPELINE}`,
    AMOCRM_CONTRACT_STAGE_ID: `${CONTRACT}`,
    CONTRACT_TEMPLATE_VERSION: "v3",
  });
  const app = stack.use(
    await freshApp({ sources: { amocrm: source }, handlers: [prepareContract] }),
  );
  const intake = createIntake(app, watchOutage(app, "receiver"));
  const handler = createHandler({ app, intake, proofs: watchProofs(app) });
  const server = serve(app, handler, { hostname: "127.0.0.1", port: 0 });
  stack.defer(() => server.stop());
  const fake = stack.use(await start({ timeScale: 1e-4 }));
  const destination = `http://127.0.0.1:${server.port}/hooks/amocrm/${SECRET}`;
  fake.hooks.subscribe(destination, options.events ?? amocrmEvents);
  const held = stack.move();
  return {
    app,
    fake,
    async deals() {
      await until("no delivery waits for its repeat", async () => {
        await fake.hooks.idle();
        return fake.hooks.attempts.every(({ isGood, body }) =>
          isGood || fake.hooks.attempts.some((other) => other.isGood && other.body === body)
        );
      });
      const rows = await app.rows`select payload ->> 'lead' as lead from jobs order by id`;
      return rows.map(({ lead }) => lead);
    },
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  };
}

Deno.test("A deal that is dragged to the stage, back, and again has one contract to prepare, in whatever order the hooks came", async () => {
  await using world = await startWorld();
  const { crm } = world.fake;
  const { id } = crm.createLead({ pipeline_id: PIPELINE, status_id: NEW, name: "Ворота, д. 7" });
  for (const status_id of [CONTRACT, NEW, CONTRACT]) crm.changeLead(id, { status_id });
  crm.changeLead(id, { price: 120_000 });
  const deals = await world.deals();
  assertEquals(new Set(deals), new Set([`${id}`]));
  const rows = await world.app.rows`select distinct entity, collapses, status from jobs`;
  assertEquals(rows, [
    { entity: `prepare_contract:31700412:${id}:v3`, collapses: true, status: "pending" },
  ]);
  assertEquals(await world.app.rows`select count(*)::int from events where error is not null`, [{
    count: 0,
  }]);
});

Deno.test("A deal made at the stage, or brought there from another pipeline, is seen; the same stage elsewhere is not", async () => {
  await using world = await startWorld({ events: ["status_lead", "add_lead"] });
  const { crm } = world.fake;
  const made = crm.createLead({ pipeline_id: PIPELINE, status_id: CONTRACT });
  await world.fake.hooks.idle();
  const brought = crm.createLead({ pipeline_id: OTHER_PIPELINE, status_id: CONTRACT });
  crm.changeLead(brought.id, { pipeline_id: PIPELINE });
  assertEquals(await world.deals(), [`${made.id}`, `${brought.id}`]);
  const together = [1, 2].map(() => crm.createLead({ pipeline_id: PIPELINE, status_id: NEW }).id);
  crm.changeLeads(together, { status_id: CONTRACT });
  assertEquals((await world.deals()).slice(2), together.map(String));
});

Deno.test("When only the update of a move arrives it counts, and an update of anything else does not", async () => {
  await using world = await startWorld({ events: ["update_lead"] });
  const { crm } = world.fake;
  const { id } = crm.createLead({ pipeline_id: PIPELINE, status_id: NEW });
  crm.changeLead(id, { price: 100 });
  crm.changeLead(id, { status_id: CONTRACT });
  crm.changeLead(id, { price: 120 });
  assertEquals(await world.deals(), [`${id}`]);
});

Deno.test("What we write into a deal comes back as a webhook and makes no job: no loop, however often we write (F051)", async () => {
  await using world = await startWorld({ events: [...amocrmEvents, "note_lead"] });
  const { crm, hooks } = world.fake;
  const { id } = crm.createLead({ pipeline_id: PIPELINE, status_id: CONTRACT });
  const call = clientOf(world.fake);
  for (let count = 0; count < 5; count++) {
    await call("PATCH", `/api/v4/leads/${id}`, { price: count });
    const note = { note_type: "common", params: { text: `Договор ${count}` } };
    await call("POST", `/api/v4/leads/${id}/notes`, [note]);
  }
  assertEquals(await world.deals(), [`${id}`]);
  assertEquals(hooks.attempts.length, 11);
});

Deno.test("A service that sends everything three times makes no more of it", async () => {
  await using world = await startWorld({ events: ["status_lead"] });
  const { crm, hooks } = world.fake;
  hooks.switches.copies = 3;
  const { id } = crm.createLead({ pipeline_id: PIPELINE, status_id: NEW });
  crm.changeLead(id, { status_id: CONTRACT });
  assertEquals(await world.deals(), [`${id}`]);
  assertEquals(await world.app.rows`select count(*)::int from events`, [{ count: 1 }]);
});

Deno.test("Two hundred hooks of another account are kept with that error and answered well: nobody is switched off", async () => {
  await using world = await startWorld({ account: "elsewhere" });
  const { crm, hooks } = world.fake;
  for (let count = 0; count < 200; count++) {
    crm.createLead({ pipeline_id: PIPELINE, status_id: CONTRACT });
    await hooks.idle();
  }
  assertEquals(await world.deals(), []);
  assertEquals([...hooks.subscriptions.values()].map(({ disabled }) => disabled), [false]);
  assertEquals(world.fake.counts().badHookAttempts, 0);
  const kept = await world.app.rows`
    select count(*)::int from events where error like '%is of account hw-sample (31700412)%'`;
  assertEquals(kept, [{ count: 200 }]);
});
