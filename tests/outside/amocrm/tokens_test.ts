import { assert, assertEquals, assertRejects } from "@std/assert";
import { LaneHeldError } from "../../../lib/base/errors.ts";
import {
  clientInLane,
  clientOf,
  consented,
  jwtOf,
  longLived,
  NO_WAY,
  startWorld,
} from "./support.ts";

const DAY_MS = 86_400_000;

Deno.test("Settings without a way to a token pause the lane, and the jobs wait until they are mended", async () => {
  await using world = await startWorld();
  const settings = { ...NO_WAY, AMOCRM_URL: world.fake.url.origin };
  const client = clientInLane(world.app, settings);
  const held = await assertRejects(() => client.lead("1"), LaneHeldError, "AMOCRM_ACCESS_TOKEN");
  assert(held.caused);
  assertEquals(world.fake.counts().calls, 0);
});

Deno.test("A long-lived token is refreshed by nobody, and its end stands in it", async () => {
  await using world = await startWorld();
  const { fake, app } = world;
  const token = jwtOf({ exp: 1_800_000_000 });
  assertEquals(
    await clientOf(app, longLived(fake, token)).renewToken(),
    new Date(1_800_000_000_000),
  );
  assertEquals(await clientOf(app, longLived(fake, "opaque")).renewToken(), undefined);
  assertEquals(fake.counts().byStatus, {});
});

Deno.test("Renewing ahead of time gives three months more, however fresh the token is (F132)", async () => {
  await using world = await startWorld();
  const { fake, app } = world;
  const client = clientInLane(app, consented(fake));
  for (const refreshes of [1, 2]) {
    const end = (await client.renewToken())!;
    const days = (end.getTime() - Date.now()) / DAY_MS;
    assert(days > 89.9 && days < 90.1, `${days}`);
    assertEquals(fake.counts().tokenRefreshes, refreshes);
  }
});

Deno.test("Each consent has a row of its own: processes with the settings of before do not disturb the new one", async () => {
  await using world = await startWorld();
  const { fake, app } = world;
  const lead = `${fake.crm.createLead({}).id}`;
  const [before, after] = [consented(fake), consented(fake)];
  for (const settings of [before, after, before, after]) {
    assertEquals((await clientOf(app, settings).lead(lead))?.id, lead);
  }
  assertEquals([fake.counts().tokenRefreshes, fake.counts().tokenReuses], [2, 0]);
});
