import { assert, assertEquals } from "@std/assert";
import type { Amocrm } from "../../../demo/fake_amocrm/server.ts";
import { clientOf, CONTRACT, FIELDS, type Json, NEW, PIPELINE, start } from "./support.ts";

/** A deal with a contact, a company and an item, at its stage. */
function dealOf({ crm }: Amocrm) {
  const company = crm.createCompany({ name: "ООО Пример" });
  const contact = crm.createContact({ name: "Пример", company: company.id });
  const item = crm.createItem({ name: "Ворота", catalog: 4521, price: 92_000 });
  const lead = crm.createLead({
    name: "Ворота, д. 7",
    pipeline_id: PIPELINE,
    status_id: CONTRACT,
    custom_fields_values: FIELDS,
    companies: [{ id: company.id }],
    contacts: [{ id: contact.id, is_main: true }],
    items: [{ id: item.id, catalog_id: 4521, quantity: 2 }],
  });
  return { company, contact, item, lead };
}

Deno.test("A deal embeds its company and tags always, its contacts and items only when asked, and no name of a contact", async () => {
  await using fake = await start();
  const { lead, contact, company, item } = dealOf(fake);
  const call = clientOf(fake);
  const { json } = await call("GET", `/api/v4/leads/${lead.id}`);
  assertEquals([json.id, json.status_id, json.pipeline_id, json.account_id], [
    lead.id,
    CONTRACT,
    PIPELINE,
    31_700_412,
  ]);
  assertEquals(json._embedded, { tags: [], companies: [{ id: company.id }] });
  assertEquals(json.custom_fields_values[0].values, [{ value: 1_790_600_400 }]);
  const full = await call("GET", `/api/v4/leads/${lead.id}?with=contacts,catalog_elements`);
  assertEquals(full.json._embedded.contacts, [{ id: contact.id, is_main: true }]);
  assertEquals(full.json._embedded.catalog_elements, [
    { id: item.id, metadata: { quantity: 2, catalog_id: 4521 }, quantity: 2, catalog_id: 4521 },
  ]);
  assert(full.json._links.self.href.startsWith(fake.url.href));
});

Deno.test("Contact, company and item are read by their own addresses; fields of one without any are null", async () => {
  await using fake = await start();
  const { contact, company, item } = dealOf(fake);
  const call = clientOf(fake);
  const person = (await call("GET", `/api/v4/contacts/${contact.id}?with=leads`)).json;
  assertEquals([person.name, person.first_name, person.custom_fields_values], ["Пример", "", null]);
  assertEquals(person._embedded.companies, [{ id: company.id }]);
  assertEquals((await call("GET", `/api/v4/companies/${company.id}`)).json.name, "ООО Пример");
  const element = (await call("GET", `/api/v4/catalogs/4521/elements/${item.id}`)).json;
  assertEquals(element.custom_fields_values[0].values, [{ value: "92000" }]);
  const people = await call("GET", `/api/v4/contacts?filter[id][]=${contact.id}`);
  assertEquals(people.json._embedded.contacts.map(({ id }: Json) => id), [contact.id]);
  assertEquals((await call("GET", "/api/v4/companies?filter[id][]=1")).status, 204);
  const listed = await call("GET", `/api/v4/catalogs/4521/elements?filter[id][]=${item.id}`);
  assertEquals(listed.json._embedded.elements.length, 1);
  assertEquals((await call("GET", `/api/v4/catalogs/1/elements/${item.id}`)).status, 204);
});

Deno.test("What is not there is 204 with an empty body, or 404 for a deal when that is switched on", async () => {
  await using fake = await start();
  const call = clientOf(fake);
  for (
    const path of [
      "leads/1",
      "leads",
      "leads/1/notes",
      "contacts/1",
      "companies/1",
      "events",
      "tasks",
      "webhooks",
    ]
  ) {
    const { status, text } = await call("GET", `/api/v4/${path}`);
    assertEquals([status, text], [204, ""], path);
  }
  fake.switches.missing = 404;
  assertEquals((await call("GET", "/api/v4/leads/1")).json.title, "Not Found");
  assertEquals((await call("GET", "/api/v4/nothing")).status, 404);
});

Deno.test("A list ends without a next page and never tells a total; beyond it is 204", async () => {
  await using fake = await start();
  for (let count = 0; count < 5; count++) fake.crm.createLead({});
  const call = clientOf(fake);
  const ids = [];
  let pages = 0;
  for (let next: string | undefined = "/api/v4/leads?limit=2"; next; pages++) {
    const { json }: Json = await call("GET", next);
    assertEquals([json._page, json._total_items], [pages + 1, undefined]);
    ids.push(...json._embedded.leads.map(({ id }: Json) => id));
    next = json._links.next?.href;
  }
  assertEquals([pages, new Set(ids).size], [3, 5]);
  assertEquals((await call("GET", "/api/v4/leads?limit=2&page=4")).status, 204);
});

Deno.test("Deals are filtered by the time of their change and by stage, unless the account ignores filters in silence", async () => {
  const clock = { seconds: 1_790_000_000 };
  await using fake = await start({ now: () => clock.seconds });
  const old = fake.crm.createLead({ pipeline_id: PIPELINE, status_id: NEW });
  clock.seconds += 1000;
  const fresh = fake.crm.createLead({ pipeline_id: PIPELINE, status_id: CONTRACT });
  const call = clientOf(fake);
  const idsOf = async (query: string) =>
    (await call("GET", `/api/v4/leads?${query}`)).json?._embedded.leads.map(({ id }: Json) => id);
  const since = "filter[updated_at][from]=1790000500&filter[updated_at][to]=1790001000";
  assertEquals(await idsOf(since), [fresh.id]);
  assertEquals(
    await idsOf(
      `filter[statuses][0][pipeline_id]=${PIPELINE}&filter[statuses][0][status_id]=${NEW}`,
    ),
    [old.id],
  );
  assertEquals(
    await idsOf(`filter[id][]=${old.id}&filter[id][]=${fresh.id}&order[updated_at]=desc`),
    [
      fresh.id,
      old.id,
    ],
  );
  fake.switches.ignoredFilters.add("leads");
  assertEquals(await idsOf(since), [old.id, fresh.id]);
});

Deno.test("The journal shows a deal that came to the stage and left it again, newest first", async () => {
  const clock = { seconds: 1_790_000_000 };
  await using fake = await start({ now: () => clock.seconds });
  const { id } = fake.crm.createLead({ pipeline_id: PIPELINE, status_id: NEW });
  clock.seconds += 10;
  fake.crm.changeLead(id, { status_id: CONTRACT });
  clock.seconds += 10;
  fake.crm.changeLead(id, { status_id: NEW });
  const call = clientOf(fake);
  const at = (name: string, value: number) =>
    `filter[value_after][leads_statuses][0][${name}]=${value}`;
  const stage = `filter[type]=lead_status_changed&${at("pipeline_id", PIPELINE)}&${
    at("status_id", CONTRACT)
  }`;
  const { json } = await call("GET", `/api/v4/events?${stage}`);
  const [event, ...more] = json._embedded.events;
  assertEquals(more, []);
  assertEquals([typeof event.id, event.entity_id, event.entity_type], ["string", id, "lead"]);
  assertEquals(event.value_after, [{ lead_status: { id: CONTRACT, pipeline_id: PIPELINE } }]);
  assertEquals(event.value_before, [{ lead_status: { id: NEW, pipeline_id: PIPELINE } }]);
  const typesOf = async (query: string) =>
    (await call("GET", `/api/v4/events?${query}`)).json?._embedded.events.map(({ type }: Json) =>
      type
    );
  assertEquals(await typesOf("filter[created_at]=1790000005,1790000015"), ["lead_status_changed"]);
  assertEquals(
    await typesOf("filter[created_at][from]=1790000000&filter[created_at][to]=1790000005"),
    [
      "lead_added",
    ],
  );
  assertEquals(await typesOf("filter[type]=lead_added,task_added"), ["lead_added"]);
  fake.switches.ignoredFilters.add("events");
  assertEquals((await typesOf(stage)).length, 3);
  fake.switches.journalDelaySeconds = 10;
  assertEquals((await typesOf("")).length, 2);
});

Deno.test("Notes are made from a list, come in pages of 250 at most, and cannot be searched by their text", async () => {
  await using fake = await start();
  const { id } = fake.crm.createLead({});
  const call = clientOf(fake);
  const path = `/api/v4/leads/${id}/notes`;
  const made = await call("POST", path, [
    { note_type: "common", params: { text: "готов [hw:1]" }, request_id: "hw-1" },
  ]);
  const [note] = made.json._embedded.notes;
  assertEquals([made.status, note.entity_id, note.request_id], [200, id, "hw-1"]);
  for (let count = 0; count < 300; count++) {
    fake.crm.addNote({ entity_id: id, note_type: "common", params: { text: `${count}` } });
  }
  const first = (await call("GET", `${path}?limit=500&filter[text]=hw&query=hw`)).json;
  assertEquals(first._embedded.notes.length, 250);
  assertEquals(first._embedded.notes[0].params.text, "готов [hw:1]");
  assertEquals(first._embedded.notes[0].request_id, undefined);
  assertEquals((await call("GET", `${path}?limit=250&page=2`)).json._embedded.notes.length, 51);
  assertEquals((await call("GET", `${path}/${note.id}`)).json.note_type, "common");
  assertEquals((await call("GET", `${path}?filter[note_type]=attachment`)).status, 204);
});

Deno.test("What is not valid is a problem that names the part, and makes nothing", async () => {
  await using fake = await start();
  const { id } = fake.crm.createLead({});
  const call = clientOf(fake);
  const path = `/api/v4/leads/${id}/notes`;
  const good = { note_type: "common", params: { text: "a" } };
  const errorsOf = async (body: unknown, to = path) => {
    const { status, json, headers } = await call("POST", to, body);
    assertEquals([status, headers.get("content-type")], [400, "application/problem+json"]);
    return json["validation-errors"][0];
  };
  const wrong = await errorsOf([good, { note_type: "text", request_id: "hw-2" }]);
  assertEquals([wrong.request_id, wrong.errors[0].path], ["hw-2", "note_type"]);
  assertEquals((await errorsOf([{ note_type: "common" }])).errors[0].path, "params.text");
  await errorsOf(good);
  await errorsOf([{ text: "a" }], "/api/v4/tasks");
  assertEquals([fake.counts().created.notes, fake.counts().created.tasks], [0, 0]);
  assertEquals((await call("POST", "/api/v4/leads/1/notes", [good])).status, 204);
});

Deno.test("Tasks and deals made through the API are counted, and found by what they are about", async () => {
  await using fake = await start();
  const { id } = fake.crm.createLead({});
  const call = clientOf(fake);
  const task = { text: "ИНН", complete_till: 1_790_000_000, entity_id: id, entity_type: "leads" };
  assertEquals((await call("POST", "/api/v4/tasks", [task])).status, 200);
  const { json } = await call(
    "GET",
    `/api/v4/tasks?filter[entity_type]=leads&filter[entity_id][]=${id}`,
  );
  assertEquals(json._embedded.tasks[0].text, "ИНН");
  assertEquals((await call("GET", "/api/v4/tasks?filter[entity_id][]=1")).status, 204);
  const made = await call("POST", "/api/v4/leads", [{ name: "Вторая", request_id: "hw-9" }]);
  assertEquals(made.json._embedded.leads[0].request_id, "hw-9");
  assertEquals(fake.counts().created, { leads: 1, notes: 0, tasks: 1 });
});

Deno.test("Webhooks are an administrator's: one for each destination, replaced by a second subscription", async () => {
  await using fake = await start();
  const call = clientOf(fake);
  const destination = "https://hooks.example/hooks/amocrm/secret";
  const subscribe = (settings: string[]) =>
    call("POST", "/api/v4/webhooks", { destination, settings });
  const first = await subscribe(["status_lead"]);
  assertEquals([first.status, first.json.disabled], [201, false]);
  assertEquals((await subscribe(["status_lead", "add_lead"])).json.id, first.json.id);
  const query = `filter[destination]=${encodeURIComponent(destination)}`;
  const { json } = await call("GET", `/api/v4/webhooks?${query}`);
  assertEquals([json._total_items, json._embedded.webhooks[0].settings], [1, [
    "status_lead",
    "add_lead",
  ]]);
  assertEquals(
    (await call("GET", "/api/v4/webhooks?filter[destination]=https://other.example")).status,
    204,
  );
  assertEquals((await subscribe(["status_leads"])).status, 400);
  const asManager = clientOf(fake, fake.tokens.issue({ isAdmin: false }));
  for (const method of ["GET", "POST", "DELETE"]) {
    const body = method === "GET" ? undefined : { destination };
    assertEquals((await asManager(method, "/api/v4/webhooks", body)).status, 403);
  }
  assertEquals((await call("DELETE", "/api/v4/webhooks", { destination })).status, 204);
  assertEquals((await call("DELETE", "/api/v4/webhooks", { destination })).status, 404);
});

Deno.test("The account tells its name and, when asked, where files go", async () => {
  await using fake = await start();
  const call = clientOf(fake);
  const { json, headers } = await call("GET", "/api/v4/account?with=drive_url");
  assertEquals([json.id, json.subdomain], [31_700_412, "hw-sample"]);
  assert(json.drive_url.startsWith("https://drive-"));
  assert(headers.get("x-request-id"));
});
