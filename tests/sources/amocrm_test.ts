import {
  assert,
  assertEquals,
  assertNotEquals,
  assertStringIncludes,
  assertThrows,
} from "@std/assert";
import { defineHandler } from "../../lib/define.ts";
import { createIntake } from "../../lib/flow/intake.ts";
import { replay } from "../../lib/flow/operate.ts";
import { watchOutage } from "../../lib/flow/outage.ts";
import { watchProofs } from "../../lib/flow/proofs.ts";
import { amocrm } from "../../lib/sources/amocrm.ts";
import { createHandler } from "../../lib/web/routes.ts";
import { serve } from "../../lib/web/server.ts";
import { z } from "zod";
import { freshApp, type TestApp } from "../support/app.ts";
import { MOVED, MOVED_TOGETHER, OTHERS } from "./amocrm_sample_bodies.ts";
import { deliveryOf } from "./support.ts";

const SECRET = "new-0123456789abcdefghijABCDEFGHIJ";
const OLD_SECRET = "old-0123456789abcdefghijABCDEFGHIJ";
const FORM = { "content-type": "application/x-www-form-urlencoded" };
const source = amocrm.create({
  AMOCRM_ACCOUNT: "hw-sample",
  AMOCRM_WEBHOOK_SECRET: [SECRET, OLD_SECRET],
  AMOCRM_CONTRACT_PIPELINE_ID: "70",
  AMOCRM_CONTRACT_STAGE_ID: "75",
  CONTRACT_TEMPLATE_VERSION: "v3",
});
const contractOf = (lead: string) => ({
  kind: "prepare_contract",
  payload: { account: "hw-sample", lead, templateVersion: "v3" },
  collapse: `prepare_contract:hw-sample:${lead}:v3`,
});

/** A body as it travels: the last pairs name the account. */
function bodyOf(pairs: Record<string, string>, subdomain = "hw-sample"): string {
  const account = { "account[subdomain]": subdomain, "account[id]": "317" };
  return new URLSearchParams({ ...pairs, ...account }).toString();
}
const moved = (lead: string, index = 0) => ({
  [`leads[status][${index}][id]`]: lead,
  [`leads[status][${index}][pipeline_id]`]: "70",
  [`leads[status][${index}][status_id]`]: "75",
  [`leads[status][${index}][old_status_id]`]: "72",
});
const route = (body: string, headers: Record<string, string> = FORM) =>
  source.route(deliveryOf(body, headers));

Deno.test("verify() believes the secret in the path and nothing else, and tells which one it was (F128)", () => {
  const verify = (pathSecret?: string) =>
    source.verify(deliveryOf("", { "x-signature": SECRET, authorization: SECRET }, pathSecret));
  assertEquals(verify(SECRET), { ok: true, secret: 0 });
  assertEquals(verify(OLD_SECRET), { ok: true, secret: 1 });
  for (const wrong of [undefined, "", "***", SECRET.slice(1), `${SECRET},${OLD_SECRET}`]) {
    assertEquals((verify(wrong) as { ok: boolean }).ok, false);
  }
});

Deno.test("route() makes a job for each deal that came to the stage, and none for the rest of the body", () => {
  const body = bodyOf({
    ...moved("11"),
    ...moved("12", 1),
    "leads[status][1][status_id]": "76",
    "leads[add][0][id]": "13",
    "leads[add][0][pipeline_id]": "70",
    "leads[add][0][status_id]": "75",
    "contacts[update][0][id]": "14",
    "contacts[update][0][custom_fields][0][values][0][value]": "+70000000001",
  });
  assertEquals(route(body), [contractOf("11"), contractOf("13")]);
});

Deno.test("route() takes all that other hooks and fields bring, without a job and without an error", () => {
  const note = { "leads[note][0][note][id]": "5", "leads[note][0][note][type]": "a" };
  const odd = { "leads[note][0][note][type][uuid]": "b", "leads[add][__proto__][x]": "1" };
  const others: Record<string, string>[] = [
    {},
    note,
    { ...note, ...odd },
    { "leads[delete][0][id]": "9" },
    { "task[add][0][id]": "9" },
  ];
  for (const pairs of others) {
    assertEquals(route(bodyOf(pairs)), []);
  }
});

Deno.test("Bodies as amoCRM sends them, byte for byte, ask for the contracts of their deals and of no others (F130)", () => {
  for (const account of ["hw-sample", "31700412"]) {
    const source = amocrm.create({
      AMOCRM_ACCOUNT: account,
      AMOCRM_WEBHOOK_SECRET: [SECRET],
      AMOCRM_CONTRACT_PIPELINE_ID: "7300118",
      AMOCRM_CONTRACT_STAGE_ID: "61200305",
      CONTRACT_TEMPLATE_VERSION: "v3",
    });
    const deals = (body: string) =>
      source.route(deliveryOf(body, FORM)).map(({ payload }) => payload?.lead);
    assertEquals(deals(MOVED), ["40510023"]);
    assertEquals(deals(MOVED_TOGETHER), ["40510023", "40510031"]);
    assertEquals(OTHERS.flatMap(deals), []);
  }
});

Deno.test("route() keeps a delivery of another account apart, and says whose it is", () => {
  const error = assertThrows(() => route(bodyOf(moved("11"), "elsewhere")), TypeError);
  assertStringIncludes(error.message, "it is of account elsewhere (317), not of hw-sample");
  assertThrows(() => route("leads[status][0][id]=11"), TypeError, "it is of account - (-)");
});

Deno.test("route() says what is wrong with a body that it cannot read", () => {
  assertThrows(
    () => route("{}", { "content-type": "application/json" }),
    TypeError,
    "came as application/json",
  );
  assertThrows(() => route(`a${"[b]".repeat(17)}=1`), TypeError, "brackets");
});

Deno.test("dedupKey() is the same for the same bytes and another for any other, and never throws", () => {
  const key = (body: string | Uint8Array<ArrayBuffer>) => source.dedupKey(deliveryOf(body));
  assertEquals(key(bodyOf(moved("11"))), key(bodyOf(moved("11"))));
  assertNotEquals(key(bodyOf(moved("11"))), key(bodyOf(moved("12"))));
  assert(key(new Uint8Array([0xff, 0x00]))?.startsWith("sha256:"));
});

Deno.test("sample() is proven, routed, never a repeat, and of a deal that no account has", () => {
  const [one, two] = [source.sample(), source.sample()].map(({ headers, body, pathSecret }) =>
    deliveryOf(body, headers, pathSecret)
  );
  assertEquals(source.verify(one!), { ok: true, secret: 0 });
  assertEquals(source.route(one!), [contractOf("1")]);
  assertNotEquals(source.dedupKey(one!), source.dedupKey(two!));
});

/** Takes the jobs that the source makes; nobody does them here. */
const prepareContract = defineHandler({
  kind: "prepare_contract",
  payload: z.object({ account: z.string(), lead: z.string(), templateVersion: z.string() }),
  run: () => Promise.resolve(),
});

interface Receiver extends AsyncDisposable {
  readonly app: TestApp;
  post(path: string, body: string, headers?: Record<string, string>): Promise<number>;
}

/** A receiver with a socket and a database, as it runs in production. */
async function startReceiver(): Promise<Receiver> {
  const app = await freshApp({ sources: { amocrm: source }, handlers: [prepareContract] });
  const intake = createIntake(app, watchOutage(app, "receiver"));
  const handler = createHandler({ app, intake, proofs: watchProofs(app) });
  const server = serve(app, handler, { hostname: "127.0.0.1", port: 0 });
  return {
    app,
    async post(path, body, headers = FORM) {
      const url = `http://127.0.0.1:${server.port}/hooks/${path}`;
      const response = await fetch(url, { method: "POST", headers, body });
      await response.body?.cancel();
      return response.status;
    },
    async [Symbol.asyncDispose]() {
      await server.stop();
      await intake.idle();
      await app[Symbol.asyncDispose]();
    },
  };
}

Deno.test("Five deliveries in a minute, one of them a repeat, are five answers, four events and one contract to do (F136)", async () => {
  await using receiver = await startReceiver();
  const { app, post } = receiver;
  const stage = bodyOf(moved("4521"));
  const sum = (price: string) =>
    bodyOf({
      "leads[update][0][id]": "4521",
      "leads[update][0][pipeline_id]": "70",
      "leads[update][0][status_id]": "75",
      "leads[update][0][price]": price,
    });
  const contact = bodyOf({ "contacts[update][0][id]": "9" });
  for (const body of [stage, sum("100"), contact, sum("120"), stage]) {
    assertEquals(await post(`amocrm/${SECRET}`, body), 202);
  }
  assertEquals(
    await app.rows`select error, secret_index, path from events`,
    Array(4).fill({
      error: null,
      secret_index: 0,
      path: "/hooks/amocrm/***",
    }),
  );
  assertEquals(await app.rows`select kind, payload::text, entity, collapses, key from jobs`, [{
    kind: "prepare_contract",
    payload: JSON.stringify(contractOf("4521").payload),
    entity: "prepare_contract:hw-sample:4521:v3",
    collapses: true,
    key: null,
  }]);
});

Deno.test("A hundred and fifty bodies that nobody can read get 202 each, or amoCRM would switch the hook off (F129)", async () => {
  await using receiver = await startReceiver();
  for (let count = 0; count < 150; count++) {
    const body = `a${"[b]".repeat(40)}=${count}`;
    assertEquals(await receiver.post(`amocrm/${OLD_SECRET}`, body), 202);
  }
  const [row] = await receiver.app.rows`
    select count(*)::int, count(error)::int as errors, min(secret_index)::int as secret,
      bool_and(error like '%more than 16 brackets%') as told
    from events`;
  assertEquals(row, { count: 150, errors: 150, secret: 1, told: true });
  assertEquals(await receiver.app.rows`select count(*)::int from jobs`, [{ count: 0 }]);
});

Deno.test("The secret is in no row, header, log line or alert, not even when a proxy repeats the address", async () => {
  await using receiver = await startReceiver();
  const { app, post } = receiver;
  const proxy = { "x-original-uri": `/hooks/amocrm/${SECRET}`, "x-kept": "yes" };
  await post(`amocrm/${SECRET}`, bodyOf(moved("1")), { ...FORM, ...proxy });
  await post(`amocrm/${SECRET}`, bodyOf(moved("1"), "elsewhere"), { ...FORM, ...proxy });
  for (let guess = 0; guess < 12; guess++) {
    assertEquals(await post(`amocrm/${SECRET.slice(1)}`, bodyOf(moved("1"))), 401);
  }
  const events = await app.rows`select *, convert_from(body, 'UTF8') as text from events`;
  assertEquals(events.map(({ headers }) => headers["x-kept"]), ["yes", "yes"]);
  const alerts = await app.rows`select * from alerts`;
  const written = JSON.stringify([events, alerts, await app.rows`select * from jobs`, app.lines]);
  assert(app.lines.length > 2 && written.includes("elsewhere"));
  for (const secret of [SECRET, SECRET.slice(1)]) assert(!written.includes(secret));
});

Deno.test("Without the secret the address is 401, and with anything after it there is nothing", async () => {
  await using receiver = await startReceiver();
  assertEquals(await receiver.post("amocrm", bodyOf(moved("1"))), 401);
  assertEquals(await receiver.post("amocrm/***", bodyOf(moved("1"))), 401);
  for (const path of ["amocrm/", `amocrm/${SECRET}/`, `amocrm/${SECRET}/x`, `site/${SECRET}`]) {
    assertEquals(await receiver.post(path, bodyOf(moved("1"))), 404, path);
  }
  assertEquals(await receiver.app.rows`select count(*)::int from events`, [{ count: 0 }]);
});

Deno.test("A stored delivery can be replayed, although its path has lost the secret", async () => {
  await using receiver = await startReceiver();
  await receiver.post(`amocrm/${SECRET}`, bodyOf(moved("77")));
  const made = await replay(receiver.app, "1", { again: false });
  assertEquals(made.map(({ kind }) => kind), ["prepare_contract"]);
});

Deno.test("A bulk change of many deals, larger than a megabyte, is taken", async () => {
  await using receiver = await startReceiver();
  const deals = Array.from({ length: 250 }, (_, index) => ({
    ...moved(`${1000 + index}`, index),
    [`leads[status][${index}][custom_fields][0][values][0][value]`]: "Ж".repeat(800),
  }));
  const body = bodyOf(Object.assign({}, ...deals));
  assert(body.length > 2 ** 20);
  assertEquals(await receiver.post(`amocrm/${SECRET}`, body), 202);
  assertEquals(await receiver.app.rows`select count(*)::int from jobs`, [{ count: 250 }]);
});
