import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { AlertOutcome } from "../../lib/contract.ts";
import { raiseAlert } from "../../lib/db/alerts.ts";
import { afterFailure, composeAlert, sendDueAlerts } from "../../lib/flow/alert.ts";
import { freshApp, type TestApp } from "../support/app.ts";

const alert = {
  topic: "sync_lead exhausted",
  pending: 1,
  firstAt: new Date("2026-05-04T10:00:00.5Z"),
  unconfirmed: 0,
  text: "sync_lead failed: exhausted",
};

Deno.test("a message says how often, since when, and carries a line by which a repeat is known", () => {
  assertEquals(
    composeAlert(alert),
    "Hookwork: sync_lead failed: exhausted\n[sync_lead exhausted, 2026-05-04 10:00:00]",
  );
  assertStringIncludes(
    composeAlert({ ...alert, pending: 3000 }),
    "\n3000 times since 2026-05-04 10:00:00 UTC\n",
  );
  assertStringIncludes(composeAlert({ ...alert, unconfirmed: 1 }), "repeat");
});

Deno.test("an alert about a kind in shadow is marked, and no other is", () => {
  const mark = "Hookwork (shadow): ";
  assertEquals(composeAlert(alert, ["sync_lead"]).startsWith(mark), true);
  assertEquals(composeAlert(alert, ["sync"]).startsWith(mark), false);
  const topics = ["source site not routed", "oldest due job"];
  for (const topic of topics) {
    assertEquals(composeAlert({ ...alert, topic }, ["source", "oldest"]).startsWith(mark), false);
  }
});

Deno.test("the largest errors give a message short enough to be delivered, with its last lines whole", () => {
  const message = composeAlert({ ...alert, text: "x_y *a [b](c) <b> & ".repeat(1000) });
  assert(message.length < 2000, `${message.length}`);
  assertStringIncludes(message, "[sync_lead exhausted, 2026-05-04 10:00:00]");
});

Deno.test("no part of a secret is sent, even where the text is cut (rule 15)", async () => {
  await using app = await freshApp();
  for (let cut = 1490; cut <= 1500; cut++) {
    app.told.length = 0;
    await app.db.sql`delete from alerts`;
    await raise(app, `${"x".repeat(cut)} s3cret`.slice(-1503));
    await sendDueAlerts(app);
    assert(!/s3c/.test(app.told[0]!), app.told[0]);
  }
});

Deno.test("an alert that was sent is sent once", async () => {
  await using app = await freshApp();
  await raise(app, "topic");
  await sendDueAlerts(app);
  await anHourPasses(app);
  await sendDueAlerts(app);
  assertEquals(app.told.length, 1);
});

Deno.test("two processes send a count between them, not each", async () => {
  await using app = await freshApp();
  await raise(app, "topic");
  await Promise.all([sendDueAlerts(app), sendDueAlerts(app), sendDueAlerts(app)]);
  assertEquals(app.told.length, 1);
});

Deno.test("a send that failed silences nothing: the alert comes again, with all that was counted", async () => {
  await using app = await freshApp(answers({ is: "failed", why: "502" }, { is: "sent" }));
  await raise(app, "topic");
  await sendDueAlerts(app);
  await app.db.sql`update alerts set pending = pending + 7`;
  await sendDueAlerts(app);
  assertEquals(app.told.length, 1, "not before a minute has passed");
  await anHourPasses(app);
  await sendDueAlerts(app);
  assertStringIncludes(app.told[1]!, "8 times");
  assert(!app.told[1]!.includes("repeat"), "it certainly did not arrive before");
});

Deno.test("a message that may have arrived is repeated once within the hour, and says so", async () => {
  await using app = await freshApp({ alert: () => ({ is: "unknown", why: "no answer" }) });
  await raise(app, "topic");
  for (let minute = 0; minute < 60; minute++) {
    await sendDueAlerts(app);
    await app.db.sql`update alerts set next_at = next_at - interval '61 seconds',
      tried_at = tried_at - interval '61 seconds'`;
  }
  assertEquals(app.told.map((text) => text.includes("repeat")), [false, true]);
});

Deno.test("a refused alert is tried again each hour only, and its reason can be seen", async () => {
  await using app = await freshApp({ alert: () => ({ is: "refused", why: "bad token s3cret\0" }) });
  await raise(app, "topic");
  await sendDueAlerts(app);
  const [row] = await app.rows`
    select last_error, extract(epoch from next_at - now())::float8 as seconds from alerts`;
  assertEquals(row!.last_error, "bad token ***\ufffd");
  assert(row!.seconds > 3500, `${row!.seconds} s`);
  assertEquals(app.lines.map((line) => [line.level, line.properties.topic]), [["error", "topic"]]);
});

Deno.test("one alert that is refused does not hold up the others", async () => {
  const alert = (text: string): AlertOutcome =>
    text.includes("bad") ? { is: "refused", why: "no" } : { is: "sent" };
  await using app = await freshApp({ alert });
  for (const topic of ["a bad one", "good one", "good two"]) await raise(app, topic);
  await sendDueAlerts(app);
  assertEquals(app.told.length, 3);
  assertEquals(await app.rows`select topic from alerts where pending > 0`, [{
    topic: "a bad one",
  }]);
});

Deno.test("failing alerts raise no alerts about alerts (rule 15)", async () => {
  await using app = await freshApp({ alert: () => ({ is: "failed", why: "502" }) });
  await raise(app, "topic");
  await sendDueAlerts(app);
  assertEquals(await app.rows`select topic, pending from alerts`, [{ topic: "topic", pending: 1 }]);
});

Deno.test("afterFailure() waits as long as it was asked, and never less than a topic's pause", () => {
  const failed = (retryAfterSeconds?: number) =>
    afterFailure(alert, { is: "failed", why: "429", retryAfterSeconds }).seconds;
  assertEquals(failed(), 60);
  assertEquals(failed(1), 60);
  assert(failed(340) >= 340 && failed(340) <= 408);
  assert(failed(1e9) <= 86_400 * 1.2);
});

async function raise(app: TestApp, text: string): Promise<void> {
  await raiseAlert(app.db, { topic: text.slice(0, 20), text, quietMinutes: 60 });
}

async function anHourPasses(app: TestApp): Promise<void> {
  await app.db.sql`update alerts set next_at = now() - interval '1 second',
    tried_at = tried_at - interval '1 hour'`;
}

function answers(...outcomes: AlertOutcome[]) {
  return { alert: () => outcomes.shift()! };
}
