import { assert, assertEquals } from "@std/assert";
import { pauseAfter } from "../../../demo/fake_amocrm/hooks.ts";
import { parsePhpForm } from "../../../lib/base/php_form.ts";
import { until } from "../../support/until.ts";
import {
  clientOf,
  CONTRACT,
  FIELDS,
  type Json,
  NEW,
  PIPELINE,
  start,
  startDestination,
} from "./support.ts";

const ALL = ["add_lead", "update_lead", "status_lead", "note_lead", "delete_lead", "add_contact"];
const parse = (body: string): Json =>
  JSON.parse(JSON.stringify(parsePhpForm(new TextEncoder().encode(body))));

Deno.test("A move to another stage sends a move and an update, as forms with encoded brackets", async () => {
  await using destination = startDestination();
  await using fake = await start();
  fake.hooks.subscribe(destination.url, ["status_lead", "update_lead"]);
  const { id } = fake.crm.createLead({ pipeline_id: PIPELINE, status_id: NEW, price: 184_000 });
  fake.crm.changeLead(id, { status_id: CONTRACT });
  await fake.hooks.idle();
  assertEquals(destination.bodies.length, 2);
  assert(
    destination.bodies.every((body) => /^leads%5B(status|update)%5D%5B0%5D%5Bid%5D=/.test(body)),
  );
  const bodies = destination.bodies.map(parse);
  const [lead] = bodies.find(({ leads }) => leads.status)!.leads.status;
  assertEquals(
    [lead.id, lead.pipeline_id, lead.status_id, lead.old_status_id, lead.price],
    [`${id}`, `${PIPELINE}`, `${CONTRACT}`, `${NEW}`, "184000"],
  );
  assertEquals(lead.old_pipeline_id, undefined);
  assertEquals(bodies[0].account, {
    subdomain: "hw-sample",
    id: "31700412",
    _links: { self: "https://hw-sample.amocrm.ru" },
  });
});

Deno.test("Deals that are changed together come in one delivery, the old pipeline only where it was another", async () => {
  await using destination = startDestination();
  await using fake = await start();
  fake.hooks.subscribe(destination.url, ["status_lead"]);
  const ids = [PIPELINE, 7_300_120].map((pipeline_id) =>
    fake.crm.createLead({ pipeline_id, status_id: NEW }).id
  );
  fake.crm.changeLeads(ids, { pipeline_id: PIPELINE, status_id: CONTRACT });
  await fake.hooks.idle();
  assertEquals(destination.bodies.length, 1);
  assertEquals(
    parse(destination.bodies[0]!).leads.status.map((
      { id, old_pipeline_id }: Json,
    ) => [id, old_pipeline_id]),
    [[`${ids[0]}`, undefined], [`${ids[1]}`, "7300120"]],
  );
});

Deno.test("A deal's custom fields come in the three shapes that break careless readers", async () => {
  await using destination = startDestination();
  await using fake = await start();
  fake.hooks.subscribe(destination.url, ["add_lead"]);
  fake.crm.createLead({ custom_fields_values: FIELDS });
  await fake.hooks.idle();
  const [lead] = parse(destination.bodies[0]!).leads.add;
  assertEquals(lead.custom_fields.map(({ values }: Json) => values), [
    ["1790600400"],
    [{ value: "Цепной", enum: "1422007" }],
    { value: "Да", enum: "7" },
  ]);
});

Deno.test("What is written through the API sends webhooks back, with 0 for the user", async () => {
  await using destination = startDestination();
  await using fake = await start();
  fake.hooks.subscribe(destination.url, ALL);
  const { id } = fake.crm.createLead({});
  const call = clientOf(fake);
  const note = { note_type: "common", params: { text: "готов" } };
  assertEquals((await call("POST", `/api/v4/leads/${id}/notes`, [note])).status, 200);
  assertEquals((await call("PATCH", `/api/v4/leads/${id}`, { price: 5 })).status, 200);
  await fake.hooks.idle();
  const bodies = destination.bodies.map(parse);
  const noted = bodies.find(({ leads }) => leads.note)!.leads.note[0].note;
  assertEquals([noted.element_id, noted.text, noted.note_type], [`${id}`, "готов", "4"]);
  const [lead] = bodies.find(({ leads }) => leads.update)!.leads.update;
  assertEquals([lead.price, lead.modified_user_id, lead.old_status_id], ["5", "0", undefined]);
});

Deno.test("Nobody is told what was not subscribed, nor anything while webhooks are lost", async () => {
  await using destination = startDestination();
  await using fake = await start();
  fake.hooks.subscribe(destination.url, ["status_lead"]);
  const { id } = fake.crm.createLead({});
  fake.crm.changeLead(id, { price: 1 });
  fake.hooks.switches.lost = true;
  fake.crm.changeLead(id, { status_id: CONTRACT });
  fake.hooks.switches.lost = false;
  await fake.hooks.idle();
  assertEquals(destination.bodies, []);
  fake.hooks.switches.copies = 3;
  fake.crm.changeLead(id, { status_id: NEW });
  await fake.hooks.idle();
  assertEquals(new Set(destination.bodies).size, 1);
  assertEquals(destination.bodies.length, 3);
});

Deno.test("The pauses between repeats are those of the documents: two after any bad answer, two more after 499 and 5xx", () => {
  const ladder = (status: number | undefined) =>
    [1, 2, 3, 4, 5].map((number) => pauseAfter(number, status)).map((ms) => ms && ms / 60_000);
  assertEquals(ladder(500), [5, 15, 15, 60, undefined]);
  assertEquals(ladder(499), [5, 15, 15, 60, undefined]);
  for (const status of [undefined, 302, 404, 429]) {
    assertEquals(ladder(status), [5, 15, undefined, undefined, undefined]);
  }
});

Deno.test("A delivery that is answered badly is tried five times at most, with the same bytes", async () => {
  await using destination = startDestination();
  await using fake = await start({ timeScale: 1e-6 });
  fake.hooks.subscribe(destination.url, ["add_lead"]);
  destination.status = 503;
  fake.crm.createLead({});
  await until("the ladder ends", () => fake.hooks.attempts.length === 5);
  assertEquals(fake.hooks.attempts.map(({ number }) => number), [1, 2, 3, 4, 5]);
  assertEquals(new Set(destination.bodies).size, 1);
  destination.status = 404;
  fake.crm.createLead({});
  await until("the short ladder ends", () => fake.hooks.attempts.length === 8);
  destination.status = 200;
  fake.crm.createLead({});
  await fake.hooks.idle();
  assertEquals(fake.counts().hookAttempts, 9);
  assertEquals(fake.counts().badHookAttempts, 8);
});

Deno.test("An answer that takes too long is a bad one, although the delivery was taken", async () => {
  await using destination = startDestination();
  await using fake = await start({ hookAnswerMs: 500 });
  fake.hooks.subscribe(destination.url, ["add_lead"]);
  const late = Promise.withResolvers<number>();
  destination.status = late.promise;
  fake.crm.createLead({});
  await fake.hooks.idle();
  late.resolve(200);
  assertEquals(fake.hooks.attempts.map(({ status, isGood }) => [status, isGood]), [[
    undefined,
    false,
  ]]);
  assertEquals(destination.bodies.length, 1);
});

Deno.test("More than a hundred bad answers switch a webhook off, in silence, until an administrator switches it on", async () => {
  await using destination = startDestination();
  await using fake = await start();
  fake.hooks.subscribe(destination.url, ["add_lead"]);
  destination.status = 400;
  const isDisabled = () => fake.hooks.subscriptions.get(destination.url)?.disabled;
  for (let count = 0; count < 100; count++) fake.crm.createLead({});
  await fake.hooks.idle();
  assertEquals(isDisabled(), false);
  fake.crm.createLead({});
  await fake.hooks.idle();
  assertEquals(isDisabled(), true);
  destination.status = 200;
  fake.crm.createLead({});
  await fake.hooks.idle();
  assertEquals(destination.bodies.length, 101);
  fake.hooks.enable(destination.url);
  fake.crm.createLead({});
  await fake.hooks.idle();
  assertEquals([isDisabled(), destination.bodies.length], [false, 102]);
});

Deno.test("A destination where nobody listens counts as bad, and stops nothing", async () => {
  await using fake = await start();
  fake.hooks.subscribe("http://127.0.0.1:1/hooks/amocrm/secret", ["add_lead", "delete_lead"]);
  const { id } = fake.crm.createLead({});
  fake.crm.deleteLead(id);
  await fake.hooks.idle();
  assertEquals(fake.hooks.attempts.map(({ isGood }) => isGood), [false, false]);
});
