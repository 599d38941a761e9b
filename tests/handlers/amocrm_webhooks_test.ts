import { assertEquals, assertRejects } from "@std/assert";
import { amocrmEvents } from "../../lib/base/amocrm_tasks.ts";
import { PermanentError } from "../../lib/base/errors.ts";
import { createGaps } from "../../lib/flow/watch.ts";
import { amocrmWebhooks } from "../../lib/handlers/amocrm_webhooks.ts";
import { clientOf, longLived, startWorld } from "../outside/amocrm/support.ts";
import { fits, run } from "./support.ts";

const SLOT = { slot: "2026-12-01", late: false };
const SECRET = "watched-0123456789-0123456789-01";
const HERE = `https://hook.example/hooks/amocrm/${SECRET}`;

async function startWatching(rights = { isAdmin: true }) {
  const world = await startWorld();
  const { app, fake } = world;
  const amocrm = clientOf(app, longLived(fake, fake.tokens.issue(rights)));
  return {
    ...world,
    look: () =>
      run(amocrmWebhooks, SLOT, {
        clients: { amocrm },
        gaps: createGaps(app.db),
        settings: { AMOCRM_WEBHOOK_SECRET: [SECRET] },
      }),
    gaps: () => app.rows`select reason, ended_at is null as lasts from gaps order by id`,
  };
}

Deno.test("A webhook that is not there, or too narrow, is told of and is a gap until it is as it should be", async () => {
  await using world = await startWatching();
  const { fake, look, gaps } = world;
  await assertRejects(look, PermanentError, "no webhook of amoCRM points here");
  fake.hooks.subscribe(HERE, ["status_lead"]);
  await assertRejects(look, PermanentError, "not subscribed to add_lead, update_lead");
  const reason = "no webhook of amoCRM points here";
  assertEquals(await gaps(), [{ reason, lasts: true }]);
  fake.hooks.subscribe(HERE, amocrmEvents);
  assertEquals(await look(), { result: "the webhook is as it should be" });
  assertEquals(await gaps(), [{ reason, lasts: false }]);
});

Deno.test("Superfluous events are told of, but are no gap", async () => {
  await using world = await startWatching();
  world.fake.hooks.subscribe(HERE, [...amocrmEvents, "note_lead"]);
  const refusal = await assertRejects(world.look, PermanentError, "note_lead");
  assertEquals(refusal.message.includes(SECRET), false);
  assertEquals(await world.gaps(), []);
});

Deno.test("A token that is no administrator's is said to be that, and nothing is concluded from it", async () => {
  await using world = await startWatching({ isAdmin: false });
  await assertRejects(world.look, PermanentError, "let an administrator");
  assertEquals(await world.gaps(), []);
});

Deno.test("amocrm.webhooks takes what its schedule gives", () => {
  assertEquals(fits(amocrmWebhooks, SLOT), true);
});
