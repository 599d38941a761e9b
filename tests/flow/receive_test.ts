import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import type { Source } from "../../lib/contract.ts";
import { getEvent } from "../../lib/db/events.ts";
import { createIntake } from "../../lib/flow/intake.ts";
import { watchOutage } from "../../lib/flow/outage.ts";
import { planDelivery, receive } from "../../lib/flow/receive.ts";
import { freshApp, testApp } from "../support/app.ts";
import { handlerOf } from "../support/jobs.ts";
import { deliveryTo, sourceOf } from "../support/sources.ts";

const work = handlerOf(() => Promise.resolve());
const HASH = /^sha256:[0-9a-f]{64}$/;

Deno.test("no header that carries a secret is stored, however it is written", () => {
  const row = plan(sourceOf(), {
    authorization: "Bearer s3cret",
    COOKIE: "session=s3cret",
    "proxy-authorization": "Basic s3cret",
    "x-SIGNATURE": "s3cret",
    "content-type": "application/json",
  });
  assertEquals(row.headers, { "content-type": "application/json" });
});

Deno.test("what cannot be routed is kept without jobs, with the reason, and without secrets in it", () => {
  const row = plan(sourceOf({
    dedupKey: () => "7",
    route() {
      throw new Error("no field s3cret\0 here");
    },
  }));
  assertEquals([row.error, row.jobs, row.dedupKey], ["no field ***\ufffd here", [], "7"]);
});

Deno.test("a delivery whose key cannot be told is recognised by its bytes, and kept without jobs", () => {
  const source = sourceOf({
    dedupKey() {
      throw new Error("no id");
    },
    route: () => [{ kind: "work" }],
  });
  const [one, same, other] = ["{}", "{}", "{ }"].map((body) => plan(source, {}, body));
  assertMatch(one!.dedupKey!, HASH);
  assertEquals(one!.dedupKey, same!.dedupKey);
  assertEquals(one!.dedupKey === other!.dedupKey, false);
  assertEquals([one!.error, one!.jobs], ["no id", []]);
});

Deno.test("a key that is no text costs the event neither its storage nor its bytes", () => {
  for (const odd of [17, null, {}]) {
    const row = plan(sourceOf({ dedupKey: () => odd as unknown as string }));
    assertMatch(row.dedupKey!, HASH);
    assertEquals(typeof row.error, "string");
  }
});

Deno.test("a key longer than two hundred characters, or with a zero byte, is stored as its hash", () => {
  for (const key of ["x".repeat(201), "a\0b", "\ud800"]) {
    assertMatch(plan(sourceOf({ dedupKey: () => key })).dedupKey!, HASH);
  }
  assertEquals(plan(sourceOf({ dedupKey: () => "x".repeat(200) })).dedupKey, "x".repeat(200));
});

Deno.test("a job of a kind that nobody handles would wait for ever: the event says so instead", () => {
  const row = plan(sourceOf({ route: () => [{ kind: "work" }, { kind: "wrok" }] }));
  assertStringIncludes(row.error!, '"wrok"');
  assertEquals(row.jobs, []);
});

Deno.test("whatever a source routes that is no job is an error of the event, not of the receiver", () => {
  const odd: unknown[] = [undefined, [null], [{ kind: "work", runAt: new Date(NaN) }], [{
    kind: "work",
    payload: { big: 1n },
  }]];
  for (const jobs of odd) {
    assertEquals(typeof plan(sourceOf({ route: () => jobs as [] })).error, "string");
  }
});

Deno.test("path and query are stored apart, as they came", () => {
  const row = plan(sourceOf());
  assertEquals([row.path, row.query, row.source], ["/hooks/site", "?utm=1", "site"]);
});

Deno.test("receive() tells a repeat which event it repeats, and makes no jobs for it", async () => {
  const source = sourceOf({
    dedupKey: () => "7",
    route: () => [{ kind: "work" }, { kind: "work" }],
  });
  await using app = await freshApp({ handlers: [work], sources: { site: source } });
  const intake = createIntake(app, watchOutage(app, "receiver"));
  const first = await receive(app, intake, "site", deliveryTo(), 0);
  assertEquals(first, { duplicate: false, id: "1", jobs: 2, error: undefined });
  assertEquals(await receive(app, intake, "site", deliveryTo(), 0), { duplicate: true, id: "1" });
  assertEquals(await app.rows`select count(*)::int from jobs`, [{ count: 2 }]);
});

Deno.test("fifty copies of one delivery at the same instant are one event, and all of them are accepted (rule 2)", async () => {
  const source = sourceOf({ dedupKey: () => "7", route: () => [{ kind: "work" }] });
  await using app = await freshApp({ handlers: [work], sources: { site: source } });
  const intakes = [1, 2, 3].map(() => createIntake(app, watchOutage(app, "receiver")));
  const outcomes = await Promise.all(
    Array.from({ length: 50 }, (_, n) => receive(app, intakes[n % 3]!, "site", deliveryTo(), 0)),
  );
  assertEquals(outcomes.filter((outcome) => !outcome.duplicate).length, 1);
  const [event] = await app.rows`select id from events`;
  assertEquals(new Set(outcomes.map(({ id }) => id)), new Set([event!.id]));
});

Deno.test("which secret proved a delivery is remembered, for the day when one is withdrawn", async () => {
  await using app = await freshApp({ sources: { site: sourceOf() } });
  const intake = createIntake(app, watchOutage(app, "receiver"));
  const outcome = await receive(app, intake, "site", deliveryTo(), 1);
  assertEquals((await getEvent(app.db, outcome.id!))!.secretIndex, 1);
});

function plan(source: Source, headers: Record<string, string> = {}, body = "{}") {
  const app = testApp({
    url: "postgres://nobody@127.0.0.1:1/x",
    handlers: [work],
    sources: { site: source },
  });
  return planDelivery(app, "site", deliveryTo(body, headers), 0);
}
