import { assert, assertEquals, assertRejects } from "@std/assert";
import { OutcomeUnknownError, PermanentError } from "../../../lib/base/errors.ts";
import { until } from "../../support/until.ts";
import { clientOf, longLived, startWorld } from "./support.ts";

const MARK = "[hw:contract:31700412:7:v3]";

async function withLead() {
  const world = await startWorld();
  const { id } = world.fake.crm.createLead({});
  return {
    ...world,
    id,
    lead: `${id}`,
    client: clientOf(world.app, longLived(world.fake)),
    addNotes(count: number, text: (index: number) => string) {
      for (let index = 0; index < count; index++) {
        const params = { text: text(index) };
        world.fake.crm.addNote({ entity_id: id, note_type: "common", params });
      }
    },
  };
}

Deno.test("addNote() gives the note's id, under which it is there", async () => {
  await using world = await withLead();
  const ref = await world.client.addNote(world.lead, `Договор готов ${MARK}`);
  const [note] = world.fake.crm.notes;
  assertEquals(ref, `${note!.id}`);
  assertEquals([note!.entity_id, note!.params], [world.id, { text: `Договор готов ${MARK}` }]);
});

Deno.test("A note whose answer was lost is there, is not repeated, and is found by its mark (F134)", async () => {
  await using world = await withLead();
  const { client, lead, fake } = world;
  for (const failure of [{ lost: true } as const, { delayMs: 0, status: 504 }]) {
    fake.faults.next([failure], { method: "POST" });
    await assertRejects(() => client.addNote(lead, MARK), OutcomeUnknownError);
  }
  assertEquals(fake.counts().created.notes, 1);
  assertEquals(await client.findNote(lead, MARK), `${fake.crm.notes[0]!.id}`);
});

Deno.test("findNote() reads all pages, and stops at the one that has the mark", async () => {
  await using world = await withLead();
  const { client, lead, fake } = world;
  world.addNotes(620, (index) => index === 300 || index === 610 ? `x ${MARK}` : `note ${index}`);
  assertEquals(await client.findNote(lead, MARK), `${fake.crm.notes[300]!.id}`);
  assertEquals(fake.counts().calls, 2);
  assertEquals(await client.findNote(lead, "[hw:contract:31700412:7:v4]"), undefined);
  assertEquals(fake.counts().calls, 5);
});

Deno.test("The notes of all pages come once each, also those without a text; of a deal without notes none", async () => {
  await using world = await withLead();
  const { client, lead, fake, id } = world;
  assertEquals(await Array.fromAsync(client.notes(lead)), []);
  world.addNotes(500, (index) => `note ${index}`);
  fake.crm.addNote({ entity_id: id, note_type: "attachment", params: { file_uuid: "u" } });
  const notes = await Array.fromAsync(client.notes(lead));
  assertEquals(notes.length, 501);
  assertEquals(notes.map((note) => note.id), fake.crm.notes.map((note) => `${note.id}`));
  assertEquals([notes[0]!.text, notes[500]!.type, notes[500]!.text], ["note 0", "attachment", ""]);
});

Deno.test("A note to a deal that is not there is a failure, though the account answers 204", async () => {
  await using world = await withLead();
  await assertRejects(() => world.client.addNote("1", "x"), PermanentError, "not there");
});

Deno.test("A note or a task without a text is not even sent", async () => {
  await using world = await withLead();
  const { client, lead, fake } = world;
  await assertRejects(async () => await client.addNote(lead, " \n"), PermanentError, "empty");
  const task = { leadId: lead, text: "", dueAt: new Date() };
  await assertRejects(async () => await client.addTask(task), PermanentError, "empty");
  assertEquals(fake.counts().calls, 0);
});

Deno.test("An effect's own signal ends its call", async () => {
  await using world = await withLead();
  const { client, lead, fake } = world;
  fake.faults.next([{ delayMs: 60_000 }], { method: "POST" });
  const deadline = new AbortController();
  const adding = client.addNote(lead, MARK, deadline.signal);
  await until("the call is under way", () => fake.counts().created.notes === 1);
  deadline.abort();
  await assertRejects(() => adding, OutcomeUnknownError);
});

Deno.test("addTask() gives the manager's task of the deal, and findTask() finds no other deal's", async () => {
  await using world = await withLead();
  const { client, lead, fake } = world;
  const dueAt = new Date("2026-12-01T09:00:00.500Z");
  const ref = await client.addTask({
    leadId: lead,
    text: `ИНН ${MARK}`,
    dueAt,
    responsibleUserId: "9900115",
  });
  const [task] = fake.crm.tasks;
  assertEquals(ref, `${task!.id}`);
  assertEquals([task!.entity_type, task!.entity_id], ["leads", world.id]);
  assertEquals([task!.complete_till, task!.responsible_user_id], [1_796_115_600, 9_900_115]);
  const other = `${fake.crm.createLead({}).id}`;
  fake.switches.ignoredFilters.add("tasks");
  assertEquals(await client.findTask(lead, MARK), ref);
  assertEquals(await client.findTask(other, MARK), undefined);
});

Deno.test("In shadow nothing is written, and notes are read", async () => {
  await using world = await withLead();
  const { app, fake, lead } = world;
  const client = clientOf(app, longLived(fake), { shadow: true });
  await assertRejects(() => client.addNote(lead, MARK), PermanentError, "shadow");
  assertEquals(await client.findNote(lead, MARK), undefined);
  assert(fake.counts().created.notes === 0);
});
