import { assert, assertEquals, assertRejects } from "@std/assert";
import { PermanentError } from "../../lib/base/errors.ts";
import { amocrmToken } from "../../lib/handlers/amocrm_token.ts";
import { clientOf, consented, jwtOf, longLived, startWorld } from "../outside/amocrm/support.ts";
import { fits, run } from "./support.ts";

const SLOT = { slot: "2026-12-01T00:00:00Z", late: false };
const inDays = (days: number) => Math.floor(Date.now() / 1000) + days * 86_400;

Deno.test("A long-lived token that ends within two weeks is told of, and so is one that has ended (F132)", async () => {
  await using world = await startWorld();
  const runWith = (token: string) =>
    run(amocrmToken, SLOT, {
      clients: { amocrm: clientOf(world.app, longLived(world.fake, token)) },
    });
  for (const days of [13, 0, -3]) {
    const token = jwtOf({ exp: inDays(days) });
    await assertRejects(() => runWith(token), PermanentError, "AMOCRM_ACCESS_TOKEN");
  }
  const good = await runWith(jwtOf({ exp: inDays(15) }));
  assert(good && good.result.startsWith("good until 2"));
  assertEquals(await runWith("opaque"), { result: "the token does not say when it ends" });
});

Deno.test("The tokens of a consent are renewed, and a refusal is told while access still works", async () => {
  await using world = await startWorld();
  const { fake, app } = world;
  const clients = { amocrm: clientOf(app, consented(fake)) };
  assert(await run(amocrmToken, SLOT, { clients }));
  assertEquals(fake.counts().tokenRefreshes, 1);
  const { refresh } = fake.tokens.issuePair();
  await app.rows`update amocrm_tokens set refresh_token = ${`${refresh}-unknown`}`;
  await assertRejects(
    () => run(amocrmToken, SLOT, { clients }),
    PermanentError,
    "AMOCRM_AUTH_CODE",
  );
  assertEquals((await clients.amocrm.account()).subdomain, "hw-sample");
});

Deno.test("amocrm.token takes what its schedule gives", () => {
  assert(fits(amocrmToken, SLOT));
});
