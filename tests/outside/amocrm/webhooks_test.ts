import { assertEquals, assertRejects } from "@std/assert";
import { PermanentError } from "../../../lib/base/errors.ts";
import { clientInLane, clientOf, longLived, startWorld } from "./support.ts";

const HOOK = "https://hook.example/hooks/amocrm/0123456789abcdefghijklmnopqrstuv";

Deno.test("account() tells whose token it is", async () => {
  await using world = await startWorld();
  assertEquals(await clientOf(world.app, longLived(world.fake)).account(), {
    id: "31700412",
    name: "Fake account",
    subdomain: "hw-sample",
  });
});

Deno.test("A subscription is listed, replaced by a second one to the same address, and ended; one that is not there is no error", async () => {
  await using world = await startWorld();
  const client = clientOf(world.app, longLived(world.fake));
  assertEquals(await client.webhooks(), []);
  await client.subscribe(HOOK, ["status_lead"]);
  await client.subscribe(HOOK, ["status_lead", "add_lead"]);
  const [hook, ...more] = await client.webhooks();
  assertEquals([hook!.destination, hook!.isDisabled], [HOOK, false]);
  assertEquals([hook!.events, more], [["status_lead", "add_lead"], []]);
  for (let count = 0; count < 2; count++) await client.unsubscribe(HOOK);
  assertEquals(await client.webhooks(), []);
});

Deno.test("Without the rights of an administrator each of them says so, and the lane goes on", async () => {
  await using world = await startWorld();
  const token = world.fake.tokens.issue({ isAdmin: false });
  const client = clientInLane(world.app, longLived(world.fake, token));
  const works = [
    () => client.webhooks(),
    () => client.subscribe(HOOK, ["status_lead"]),
    () => client.unsubscribe(HOOK),
  ];
  for (const work of works) await assertRejects(work, PermanentError, "administrator");
  assertEquals((await client.account()).subdomain, "hw-sample");
});

Deno.test("An event that amoCRM does not know is refused, and the secret end of the address is not in the error", async () => {
  await using world = await startWorld();
  const client = clientOf(world.app, longLived(world.fake));
  const error = await assertRejects(
    () => client.subscribe(HOOK, ["any_lead"]),
    PermanentError,
    "settings: ",
  );
  assertEquals(error.message.includes("0123456789abcdef"), false);
});
