import { assertEquals, assertRejects } from "@std/assert";
import { createHold } from "../../../demo/hold.ts";
import { until } from "../../support/until.ts";
import { clientOf, CONTRACT, start, startDestination } from "./support.ts";

Deno.test("Faults spoil the calls that fit, in order, and then no more", async () => {
  await using fake = await start();
  const { id } = fake.crm.createLead({});
  const call = clientOf(fake);
  fake.faults.next([{ status: 504 }, { status: 402 }], { method: "POST", path: "/notes" });
  fake.faults.next([{ status: 200, page: "<html>" }]);
  const note = [{ note_type: "common", params: { text: "a" } }];
  assertEquals((await call("GET", "/api/v4/account")).text, "<html>");
  const statuses = [];
  for (let count = 0; count < 3; count++) {
    statuses.push((await call("POST", `/api/v4/leads/${id}/notes`, note)).status);
  }
  assertEquals([statuses, fake.counts().created.notes], [[504, 402, 200], 1]);
});

Deno.test("An outage lasts until it is cleared, in the words of each status", async () => {
  await using fake = await start();
  const call = clientOf(fake);
  fake.faults.always({ status: 401 });
  assertEquals((await call("GET", "/api/v4/account")).json.type, "https://httpstatus.es/401");
  fake.faults.always({ status: 403 });
  assertEquals((await call("GET", "/api/v4/account")).headers.get("content-type"), "text/html");
  fake.faults.next([{ status: 429, headers: { "retry-after": "3" } }]);
  assertEquals((await call("GET", "/api/v4/account")).headers.get("retry-after"), "3");
  fake.faults.clear();
  assertEquals((await call("GET", "/api/v4/account")).status, 200);
  assertEquals(fake.counts().byStatus, { 200: 1, 401: 1, 403: 1, 429: 1 });
});

Deno.test("A call whose answer is lost or late has taken effect all the same", async () => {
  await using fake = await start();
  const { id } = fake.crm.createLead({});
  const call = clientOf(fake);
  const note = [{ note_type: "common", params: { text: "a" } }];
  fake.faults.next([{ lost: true }, { delayMs: 60_000 }], { method: "POST" });
  await assertRejects(() => call("POST", `/api/v4/leads/${id}/notes`, note), TypeError);
  const impatience = new AbortController();
  const late = fetch(new URL(`/api/v4/leads/${id}/notes`, fake.url), {
    method: "POST",
    headers: { authorization: `Bearer ${fake.tokens.issue()}` },
    body: JSON.stringify(note),
    signal: impatience.signal,
  });
  await until("the second note is there", () => fake.counts().created.notes === 2);
  impatience.abort();
  await assertRejects(() => late);
});

Deno.test("A call that is held has taken effect, and is answered once it is let on", async () => {
  await using fake = await start({ firstId: 501 });
  const { id } = fake.crm.createLead({});
  const call = clientOf(fake, fake.tokens.issue({ isAdmin: true }, "a token of last time"));
  const hold = createHold();
  fake.faults.next([{ hold }], { method: "POST", path: `/leads/${id}/notes` });
  const note = [{ note_type: "common", params: { text: "a" } }];
  const held = call("POST", `/api/v4/leads/${id}/notes`, note);
  await until("it is held", () => hold.isReached);
  assertEquals([id, fake.counts().created.notes], [501, 1]);
  hold.release();
  assertEquals((await held).status, 200);
});

Deno.test("Without a token, with a wrong one, or with one that was withdrawn, nothing is answered and nothing made", async () => {
  await using fake = await start();
  const { id } = fake.crm.createLead({});
  const token = fake.tokens.issue();
  fake.tokens.revokeAll();
  for (const given of [token, "", "x"]) {
    const note = [{ note_type: "common", params: { text: "a" } }];
    assertEquals(
      (await clientOf(fake, given)("POST", `/api/v4/leads/${id}/notes`, note)).status,
      401,
    );
  }
  assertEquals(fake.counts().created.notes, 0);
});

Deno.test("Another process moves deals, spoils calls and reads the counts by /_fake", async () => {
  await using destination = startDestination();
  await using fake = await start();
  fake.hooks.subscribe(destination.url, ["status_lead"]);
  const control = clientOf(fake, "");
  const { id } = (await control("POST", "/_fake/leads", { price: 100 })).json;
  assertEquals((await control("PATCH", `/_fake/leads/${id}`, { status_id: CONTRACT })).status, 200);
  assertEquals((await control("PATCH", "/_fake/hooks", { lost: true })).json, {
    copies: 1,
    lost: true,
  });
  await control("PATCH", `/_fake/leads/${id}`, { status_id: 1 });
  await fake.hooks.idle();
  assertEquals(destination.bodies.length, 1);
  await control("POST", "/_fake/faults", { failures: [{ status: 504 }] });
  await control("PUT", "/_fake/faults", { failure: { status: 402 }, match: { path: "/leads" } });
  const call = clientOf(fake);
  const statusOf = async (path: string) => (await call("GET", path)).status;
  assertEquals(await statusOf("/api/v4/account"), 504);
  assertEquals(await statusOf("/api/v4/leads"), 402);
  await control("DELETE", "/_fake/faults");
  await control("POST", "/_fake/block", { seconds: 60 });
  assertEquals(await statusOf("/api/v4/account"), 403);
  await control("POST", "/_fake/block", { seconds: 0 });
  const { json } = await control("GET", "/_fake/counts");
  assertEquals([json.calls, json.created.leads, json.hookAttempts], [3, 0, 1]);
  assertEquals((await control("GET", `/_fake/leads/${id}`)).json.lead.price, 100);
  assertEquals((await control("PATCH", "/_fake/leads/1", {})).status, 404);
  assertEquals((await control("GET", "/_fake/toString")).status, 404);
  assertEquals((await control("POST", "/_fake/faults", {})).status, 500);
});
