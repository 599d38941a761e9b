import { assertEquals, assertRejects } from "@std/assert";
import { PermanentError } from "../../../lib/base/errors.ts";
import { fieldText } from "../../../lib/outside/amocrm/entities.ts";
import { CONTRACT, FIELDS, PIPELINE } from "../../demo/fake_amocrm/support.ts";
import { clientOf, longLived, startWorld } from "./support.ts";

Deno.test("deal() brings the main contact, the company and the items, with the names and fields that a contract needs", async () => {
  await using world = await startWorld();
  const { crm } = world.fake;
  const inn = {
    field_id: 880_500,
    field_name: "ИНН",
    field_code: "INN",
    field_type: "text",
    values: [{ value: " 7700000000 " }],
  };
  const company = crm.createCompany({ name: "ООО Пример-Монтаж", fields: [inn] });
  const other = crm.createContact({ name: "Второй Примеров" });
  const main = crm.createContact({ name: "Лидия Примерова", company: company.id });
  const gate = crm.createItem({ name: "Ворота", catalog: 77, price: 150_000 });
  crm.createItem({ name: "Калитка", catalog: 77, price: 30_000 });
  const gone = { id: 1, catalog_id: 77, quantity: 1 };
  const { id } = crm.createLead({
    name: "Ворота, д. 7",
    price: 184_000,
    pipeline_id: PIPELINE,
    status_id: CONTRACT,
    custom_fields_values: FIELDS,
    companies: [{ id: company.id }],
    contacts: [{ id: other.id, is_main: false }, { id: main.id, is_main: true }],
    items: [{ id: gate.id, catalog_id: 77, quantity: 2 }, gone],
  });
  const deal = (await clientOf(world.app, longLived(world.fake)).deal(`${id}`))!;
  const { lead, contact, items } = deal;
  assertEquals([lead.name, lead.price], ["Ворота, д. 7", 184_000]);
  assertEquals([lead.pipelineId, lead.stageId], [`${PIPELINE}`, `${CONTRACT}`]);
  assertEquals(lead.fields.map(({ type }) => type), ["date", "select", "radiobutton"]);
  assertEquals(fieldText(lead, "880343"), "Цепной");
  assertEquals(fieldText(lead, "880341"), "1790600400");
  assertEquals(contact?.name, "Лидия Примерова");
  assertEquals(contact?.companyIds, [`${company.id}`]);
  assertEquals(fieldText(deal.company!, "INN"), "7700000000");
  const sold = items.map((item) => [item.name, item.quantity, fieldText(item, "PRICE")]);
  assertEquals(sold, [["Ворота", 2, "150000"]]);
  assertEquals(world.fake.counts().calls, 4);
});

Deno.test("A deal without fields, contact, company or items is a deal, though the API says null for some of them", async () => {
  await using world = await startWorld();
  const { id } = world.fake.crm.createLead({ name: "" });
  const deal = await clientOf(world.app, longLived(world.fake)).deal(`${id}`);
  assertEquals(deal?.lead.fields, []);
  assertEquals([deal?.contact, deal?.company, deal?.items], [undefined, undefined, []]);
});

Deno.test("A deal that is not there is undefined, whether the account says 204 or 404, and no error", async () => {
  await using world = await startWorld();
  const crm = clientOf(world.app, longLived(world.fake));
  for (const status of [204, 404] as const) {
    world.fake.switches.missing = status;
    assertEquals([await crm.lead("1"), await crm.deal("1")], [undefined, undefined]);
  }
  assertEquals([await crm.contact("1"), await crm.company("1")], [undefined, undefined]);
});

Deno.test("A deal that by its id is answered with 204, and is in the list, is there; what the list has instead is not it", async () => {
  await using world = await startWorld();
  const { fake, app } = world;
  const [other, id] = [1, 2].map(() => `${fake.crm.createLead({}).id}`) as [string, string];
  const client = clientOf(app, longLived(fake));
  fake.faults.always({ status: 204 }, { path: `/leads/${id}` });
  assertEquals((await client.lead(id))?.id, id);
  fake.switches.ignoredFilters.add("leads");
  assertEquals(await client.lead(id), undefined);
  assertEquals((await client.lead(other))?.id, other);
});

Deno.test("What is no id is asked for nowhere: it could name another path", async () => {
  await using world = await startWorld();
  const crm = clientOf(world.app, longLived(world.fake));
  for (const id of ["", "-", "1/notes", "../account", "1?with=x", "01"]) {
    await assertRejects(async () => await crm.lead(id), PermanentError, "no id");
  }
  assertEquals(world.fake.counts().calls, 0);
});

Deno.test("An id beyond 2^53 keeps all its digits", async () => {
  await using world = await startWorld();
  const { id } = world.fake.crm.createLead({});
  const text = JSON.stringify(world.fake.crm.leads.get(id));
  const json = { ...JSON.parse(text), account_id: 31_700_412, pipeline_id: "9007199254740993" };
  world.fake.faults.next([{ status: 200, json }]);
  const lead = await clientOf(world.app, longLived(world.fake)).lead(`${id}`);
  assertEquals(lead?.pipelineId, "9007199254740993");
});
