/** Contracts by the real worker and the real receiver: what managers do, what is missing, and what is down. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { startS3 } from "../contracts/s3_server.ts";
import { CONTRACT, NEW } from "../demo/fake_amocrm/support.ts";
import {
  type ContractWorld,
  REQUISITES,
  startContractWorld,
  textFields,
} from "../support/contract_world.ts";
import type { Stop } from "../support/gate.ts";
import { until } from "../support/until.ts";

Deno.test("A deal at the stage gets a PDF with the number of its row, and a note that names it", async () => {
  await using world = await startContractWorld({ pdfmake: true });
  await world.worker();
  const deal = world.deal();
  const job = await world.system.jobIs(await world.enqueue(deal), "done", 30);
  const number = await world.oneOfEach(deal);
  const { files: [file], notes: [note] } = await world.found(deal);
  assertEquals(job.result, `contract ${number}, note ${note!.id}`);
  assertEquals(note!.text.split("\n")[1], `[hw:contract:${world.fake.account.id}:${deal.id}:v1]`);
  const text = await world.read(file!);
  for (const part of ["ИНН / КПП 7700000016", "368 000,00", "20 рабочих дней"]) {
    assertStringIncludes(text, part);
  }
});

Deno.test("A print that takes longer than the lease keeps its job: no other worker begins it", async () => {
  await using world = await startContractWorld({ env: { LEASE_SECONDS: "1" } });
  await world.worker();
  await world.worker();
  const printed = world.printer.hold({ method: "POST", path: "/", when: "after" });
  const deal = world.deal();
  const id = await world.enqueue(deal);
  await printed.reached;
  const leases = new Set<string>();
  await until("the lease is renewed for longer than it would hold", async () => {
    const [job] = await world.system.database
      .sql`select locked_until::text from jobs where id = ${id}`;
    return leases.add(job!.locked_until).size > 5;
  });
  await printed.release();
  assertEquals((await world.system.jobIs(id, "done")).claims, 1);
  assertEquals(world.prints.count, 1);
  await world.oneOfEach(deal);
});

/** Where the first job is when the manager drags the deal away and back. */
const DRAGGED: Readonly<Record<string, (Stop & { gate: "crm" | "printer" }) | "unclaimed">> = {
  "before it is claimed": "unclaimed",
  "before it reads the deal": { gate: "crm", method: "GET", path: "/leads/", when: "before" },
  "when it has read the deal": { gate: "crm", method: "GET", path: "/leads/", when: "after" },
  "while it is printed": { gate: "printer", method: "POST", path: "/", when: "before" },
  "before the note": { gate: "crm", method: "POST", path: "/notes", when: "before" },
  "when the note is there": { gate: "crm", method: "POST", path: "/notes", when: "after" },
};

Deno.test("A deal that leaves the stage and comes back has one contract in the end, wherever its job was meanwhile", async (test) => {
  await using world = await startContractWorld();
  const { crm } = world.fake;
  await world.receiver();
  for (const back of [true, false]) {
    for (const [moment, stop] of Object.entries(DRAGGED)) {
      await test.step(`${moment}, ${back ? "and back at once" : "and back later"}`, async () => {
        const deal = world.deal({ status_id: NEW });
        const held = stop === "unclaimed" ? undefined : world[stop.gate].hold(stop);
        if (held) await world.worker();
        crm.changeLead(deal.id, { status_id: CONTRACT });
        await held?.reached;
        crm.changeLead(deal.id, { status_id: NEW });
        if (back) crm.changeLead(deal.id, { status_id: CONTRACT });
        await world.fake.hooks.idle();
        if (held) await held.release();
        else await world.worker();
        await world.quiet();
        if (!back) crm.changeLead(deal.id, { status_id: CONTRACT });
        await world.quiet();
        await world.oneOfEach(deal);
        await world.stop();
      });
    }
  }
  assertEquals(world.fake.counts().created.notes, 2 * Object.keys(DRAGGED).length);
});

Deno.test("A deal that leaves and comes back within one second, of which the second webhook looks like a repeat, has its contract", async () => {
  const second = Math.floor(Date.now() / 1000) + 60;
  await using world = await startContractWorld({ amocrm: { now: () => second } });
  const { crm, hooks } = world.fake;
  await Promise.all([world.receiver(["status_lead"]), world.worker()]);
  const deal = world.deal({ status_id: NEW });
  const reading = { gate: "crm", method: "GET", path: `/leads/${deal.id}` };
  const asks = world.crm.hold({ ...reading, when: "before" });
  crm.changeLead(deal.id, { status_id: CONTRACT });
  await asks.reached;
  crm.changeLead(deal.id, { status_id: NEW });
  const hears = world.crm.hold({ ...reading, when: "after" });
  await asks.release();
  await hears.reached;
  crm.changeLead(deal.id, { status_id: CONTRACT });
  await hooks.idle();
  await hears.release();
  await world.quiet();
  await world.oneOfEach(deal);
});

Deno.test("Only amoCRM itself is believed: a deal that has left the stage, or is gone, gets nothing, and its job says why (F137)", async () => {
  await using world = await startContractWorld();
  await world.worker();
  const [left, gone] = [world.deal({ status_id: NEW }), world.deal()];
  world.fake.crm.deleteLead(gone.id);
  const results = [];
  for (const deal of [left, gone]) {
    results.push((await world.system.jobIs(await world.enqueue(deal), "done")).result);
    assertEquals(await world.found(deal), { rows: [], notes: [], files: [] });
  }
  assertEquals(results, [
    `no longer needed: the deal is at stage ${NEW} of pipeline ${left.pipeline_id}`,
    "no longer needed: the deal is not there",
  ]);
});

Deno.test("What a deal lacks is told to its manager once for each thing, uses up no number, and is no obstacle once it is filled in", async () => {
  await using world = await startContractWorld();
  const { crm } = world.fake;
  await Promise.all([world.receiver(), world.worker()]);
  const { "ИНН": _, ...withoutInn } = REQUISITES;
  const deal = world.deal({ status_id: NEW }, withoutInn);
  const comeAgain = async (requisites = withoutInn) => {
    const company = crm.createCompany({ name: "ООО", fields: textFields(requisites) });
    crm.changeLead(deal.id, { companies: [{ id: company.id }], status_id: CONTRACT });
    await world.quiet();
    crm.changeLead(deal.id, { status_id: NEW });
    await world.quiet();
  };
  const tasks = () => crm.tasks.filter(({ entity_id }) => entity_id === deal.id);
  const { sql } = world.system.database;

  await comeAgain();
  const [failed] = await sql`select reason, last_error from jobs where status = 'failed'`;
  assertEquals(failed!.reason, "permanent");
  assertStringIncludes(
    failed!.last_error,
    `deal ${deal.id}: buyer.inn (ИНН покупателя) is missing`,
  );
  assertStringIncludes(tasks()[0]!.text, "ИНН покупателя: не заполнено");
  assertEquals(tasks()[0]!.responsible_user_id, deal.responsible_user_id);
  await until("the operator is told", () => world.system.telegram.messages.length > 0);

  await comeAgain();
  assertEquals(tasks().length, 1);
  await comeAgain({ ...REQUISITES, "БИК": "1" });
  assertEquals(tasks().length, 2);
  assertStringIncludes(tasks()[1]!.text, "БИК покупателя: указано неверно");
  assertEquals((await sql`select from contract_series`).length, 0);

  await comeAgain(REQUISITES);
  assertEquals((await world.oneOfEach(deal)).slice(-4), "0001");
  assertEquals(tasks().length, 2);
});

Deno.test("A broken template fails for good with its line, and is told to the manager as nothing of theirs", async () => {
  await using world = await startContractWorld({ template: "# Договор {{номр}}\n" });
  await world.worker();
  const deal = world.deal();
  const job = await world.system.jobIs(await world.enqueue(deal), "failed");
  assertEquals(job.reason, "permanent");
  assertStringIncludes(
    job.last_error!,
    `deal ${deal.id}: Cannot use the template: v1/contract.txt:1`,
  );
  assertStringIncludes(world.fake.crm.tasks[0]!.text, "ошибка в шаблоне");
});

Deno.test("A storage that is down costs a retry and no second number, and a put whose answer was lost no second file", async () => {
  await using s3 = startS3();
  await using world = await startContractWorld({
    env: {
      CONTRACT_S3_BUCKET: s3.store.bucket,
      CONTRACT_S3_ENDPOINT: s3.store.endpoint,
      CONTRACT_S3_REGION: s3.store.region,
      CONTRACT_S3_ACCESS_KEY: s3.store.accessKey,
      CONTRACT_S3_SECRET_KEY: s3.store.secretKey,
    },
  });
  await world.worker();
  const puts = { down: 1, lost: 1 };
  s3.intercept = async (request) => {
    if (request.method !== "PUT") return undefined;
    if (puts.down-- > 0) return new Response("SlowDown", { status: 503 });
    if (puts.lost-- <= 0) return undefined;
    s3.objects.set(new URL(request.url).pathname.split("/").at(-1)!, await request.bytes());
    return new Response(null, { status: 504 });
  };
  const deal = world.deal();
  const id = await world.enqueue(deal);
  for (const attempts of [1, 2]) {
    await until("the attempt has failed", async () => {
      const job = await world.system.job(id);
      return job.status === "pending" && job.attempts === attempts;
    });
    assertStringIncludes((await world.system.job(id)).last_error!, "Cannot store the contract");
    await hasten(world);
  }
  await world.system.jobIs(id, "done");
  const { rows, notes } = await world.found(deal);
  assertEquals([rows.length, notes.length, s3.objects.size], [1, 1, 1]);
  const text = new TextDecoder().decode(s3.objects.get(rows[0]!.file_path));
  assertStringIncludes(text, rows[0]!.doc_number);
  assertEquals(world.prints.count, 2, "what was stored is not printed again");
});

Deno.test("While the account refuses everybody no job fails, two alerts come, and then all is done", async () => {
  await using world = await startContractWorld();
  const { fake, system } = world;
  const deals = Array.from({ length: 20 }, () => world.deal());
  fake.faults.always({ status: 401 });
  await world.worker();
  for (const deal of deals) await world.enqueue(deal);
  const refused = (status: number) => fake.counts().byStatus[status] ?? 0;
  await until("calls are refused", () => refused(401) > 0);
  fake.faults.clear();
  fake.faults.always({ status: 403, page: "<html>Forbidden</html>" });
  await until("calls are blocked", async () => {
    await endPauses(world);
    return refused(403) > 0;
  });
  assert(refused(401) + refused(403) < deals.length, "every job asked for itself");
  fake.faults.clear();
  await until("all are done", async () => {
    await endPauses(world);
    return (await system.database.sql`select from jobs where status <> 'done'`).length === 0;
  }, { within: 60 });
  for (const deal of deals) await world.oneOfEach(deal);
  await until("both alerts are sent", async () => {
    await endPauses(world);
    return system.telegram.messages.length >= 2;
  }, { within: 60 });
  assertEquals(
    system.telegram.messages.map(({ text }) => /lane amocrm (\w+ \w+)/.exec(text)?.[1]).sort(),
    ["is paused", "works again"],
  );
});

Deno.test("A job of another account than the one at AMOCRM_URL writes nothing there", async () => {
  await using world = await startContractWorld();
  await world.worker();
  const deal = world.deal();
  const payload = { account: "99", lead: `${deal.id}`, templateVersion: "v1" };
  const job = await world.system.jobIs(
    await world.system.enqueue("prepare_contract", payload),
    "failed",
  );
  assertStringIncludes(
    job.last_error!,
    `is of account ${world.fake.account.id}, and the job of 99`,
  );
  assertEquals(await world.found(deal), { rows: [], notes: [], files: [] });
});

for (const [repeat, contracts] of [["once", 1], ["per-terms", 2]] as const) {
  Deno.test(`With CONTRACT_REPEAT=${repeat} a deal that returns with another price has ${contracts} contract(s), and with the old price no more`, async () => {
    await using world = await startContractWorld({ env: { CONTRACT_REPEAT: repeat } });
    await world.worker();
    const deal = world.deal();
    const { items } = deal;
    for (const quantity of [2, 3, 2]) {
      world.fake.crm.changeLead(deal.id, { items: items.map((item) => ({ ...item, quantity })) });
      await world.system.jobIs(await world.enqueue(deal), "done");
    }
    const { rows, notes, files } = await world.found(deal);
    assertEquals([rows.length, notes.length, files.length], [contracts, contracts, contracts]);
    assertEquals(new Set(rows.map(({ doc_number }) => doc_number)).size, contracts);
  });
}

Deno.test("In shadow the note is planned, and there is no row, no file, no number and no call that writes", async () => {
  await using world = await startContractWorld({ env: { SHADOW_KINDS: "prepare_contract" } });
  await world.worker();
  const { "ИНН": _, ...withoutInn } = REQUISITES;
  const [whole, lacking] = [world.deal(), world.deal({}, withoutInn)];
  await world.system.jobIs(await world.enqueue(whole), "done");
  await world.system.jobIs(await world.enqueue(lacking), "failed");
  const { sql } = world.system.database;
  const effects =
    await sql`select state, detail ->> 'deal' as deal, detail ->> 'text' as text from effects order by intended_at`;
  assertEquals(effects.map(({ state }) => state), ["planned", "planned"]);
  assertStringIncludes(effects[0]!.text, "Договор № — от");
  assertStringIncludes(effects[1]!.text, "ИНН покупателя");
  assertEquals(await world.found(whole), { rows: [], notes: [], files: [] });
  assertEquals((await sql`select from contract_series`).length, 0);
  assertEquals(world.crm.asked.filter((asked) => !asked.startsWith("GET ")), []);
  assertEquals(world.prints.count, 0);
});

async function hasten({ system: { database: { sql } } }: ContractWorld): Promise<void> {
  await sql`update jobs set run_at = now() where status = 'pending'`;
  await sql`notify hookwork_jobs`;
}

/** As if the pause of the lane had passed, and the minute between two alerts. */
async function endPauses({ system: { database: { sql } } }: ContractWorld): Promise<void> {
  await sql`update lanes set paused_until = now() where since is not null and paused_until > now()`;
  await sql`update jobs set run_at = now() where status = 'pending' and run_at > now()`;
  await sql`update alerts set next_at = now() where pending > 0`;
}
