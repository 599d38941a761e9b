import { assertEquals } from "@std/assert";
import { CONTRACT, NEW, PIPELINE } from "../../demo/fake_amocrm/support.ts";
import { clientOf, longLived, startWorld } from "./support.ts";

const START = 1_790_000_000;
const at = (seconds: number) => new Date((START + seconds) * 1000);
const MOVES = ["lead_status_changed", "lead_added"];

async function withClock() {
  const clock = { seconds: START };
  const world = await startWorld({ now: () => clock.seconds });
  // A long-lived token of the fake has no end.
  const client = clientOf(world.app, longLived(world.fake));
  return { ...world, client, clock };
}

Deno.test("events() shows a deal that came to the stage and left it, with the stages, and one made there", async () => {
  await using world = await withClock();
  const { fake: { crm }, client, clock } = world;
  const { id } = crm.createLead({ pipeline_id: PIPELINE, status_id: NEW });
  clock.seconds = START + 100;
  for (const status_id of [CONTRACT, NEW]) crm.changeLead(id, { status_id });
  crm.addNote({ entity_id: id, note_type: "common", params: { text: "x" } });
  const made = crm.createLead({ pipeline_id: PIPELINE, status_id: CONTRACT });
  const found = await Array.fromAsync(client.events({ from: at(1), to: at(100) }, MOVES));
  const stage = (stageId: number) => ({ pipelineId: `${PIPELINE}`, stageId: `${stageId}` });
  assertEquals(
    found.map(({ type, entityId, before, after }) => [type, entityId, before, after]),
    [
      ["lead_added", `${made.id}`, undefined, undefined],
      ["lead_status_changed", `${id}`, stage(CONTRACT), stage(NEW)],
      ["lead_status_changed", `${id}`, stage(NEW), stage(CONTRACT)],
    ],
  );
  assertEquals(found.map(({ createdAt }) => createdAt), [at(100), at(100), at(100)]);
});

Deno.test("events() and leadsUpdated() compare each row: an account that ignores filters answers 200 with everything", async () => {
  await using world = await withClock();
  const { fake, client, clock } = world;
  const leads: string[] = [];
  for (let seconds = 0; seconds < 300; seconds++) {
    clock.seconds = START + seconds;
    leads.push(`${fake.crm.createLead({}).id}`);
  }
  const span = { from: at(10), to: at(12) };
  for (const ignored of [[], ["events", "leads"]] as const) {
    ignored.forEach((list) => fake.switches.ignoredFilters.add(list));
    const updated = await Array.fromAsync(client.leadsUpdated(span));
    assertEquals(updated.map(({ id }) => id), leads.slice(10, 13));
    const events = await Array.fromAsync(client.events(span, MOVES));
    assertEquals(events.map(({ entityId }) => entityId), leads.slice(10, 13).toReversed());
  }
});

Deno.test("Nobody is missed or told twice while deals change between two pages", async () => {
  await using world = await withClock();
  const { fake: { crm }, client, clock } = world;
  const ids = Array.from({ length: 600 }, () => crm.createLead({}).id);
  const span = { from: at(0), to: at(50) };
  const seen: string[] = [];
  for await (const { id } of client.leadsUpdated(span)) {
    if (seen.push(id) !== 200) continue;
    clock.seconds = START + 100;
    for (const moved of ids.slice(0, 100)) crm.changeLead(moved, { price: 1 });
  }
  assertEquals(seen, ids.map(String));
  clock.seconds = START + 200;
  const events: string[] = [];
  for await (const { id } of client.events({ from: at(0), to: at(300) }, MOVES)) {
    // The journal has the newest first: what comes in moves all the others on.
    if (events.push(id) === 50) { for (let count = 0; count < 30; count++) crm.createLead({}); }
  }
  assertEquals([events.length, new Set(events).size], [600, 600]);
});

Deno.test("Both tell nothing of a time in which nothing was", async () => {
  await using world = await withClock();
  const span = { from: at(0), to: at(50) };
  assertEquals(await Array.fromAsync(world.client.leadsUpdated(span)), []);
  assertEquals(await Array.fromAsync(world.client.events(span, MOVES)), []);
});
