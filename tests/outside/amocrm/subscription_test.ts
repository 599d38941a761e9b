import { assertEquals } from "@std/assert";
import { amocrmEvents } from "../../../lib/base/amocrm_tasks.ts";
import { judgeWebhooks } from "../../../lib/outside/amocrm/subscription.ts";
import type { Webhook } from "../../../lib/outside/amocrm/webhooks.ts";

const SECRETS = ["new-secret", "old-secret"];
const hook = (given: Partial<Webhook> = {}): Webhook => ({
  id: "7",
  destination: "https://hook.example/behind/hooks/amocrm/new-secret",
  isDisabled: false,
  events: amocrmEvents.toReversed(),
  ...given,
});
const foreign = hook({ id: "8", destination: "https://old.example/amo.php", events: ["add_task"] });

Deno.test("A webhook with exactly the events of the table is well, whatever a foreign one beside it has", () => {
  const { webhooks, lost, faults } = judgeWebhooks([hook(), foreign], SECRETS);
  assertEquals([lost, faults], [undefined, []]);
  assertEquals(webhooks.map(({ is, destination }) => [is, destination]), [
    ["ours", "https://hook.example/behind/hooks/amocrm/***"],
    ["foreign", "https://old.example/amo.php"],
  ]);
});

Deno.test("Webhooks are lost when none points here, when it is switched off, and when an event is missing", () => {
  const lostOf = (...hooks: Webhook[]) => judgeWebhooks(hooks, SECRETS).lost;
  assertEquals(lostOf(foreign), "no webhook of amoCRM points here");
  assertEquals(
    lostOf(hook({ destination: "https://hook.example/hooks/amocrm/guessed" })),
    "no webhook of amoCRM points here",
  );
  assertEquals(lostOf(hook({ isDisabled: true })), "the webhook of amoCRM is switched off");
  assertEquals(
    lostOf(hook({ events: ["status_lead", "add_lead"] })),
    "the webhook of amoCRM is not subscribed to update_lead",
  );
  assertEquals(
    lostOf(hook({ events: ["status_lead"] }), hook({ events: ["add_lead", "update_lead"] })),
    undefined,
  );
});

Deno.test("What is superfluous, and an old secret, are told of but lose nothing", () => {
  const given = hook({
    destination: "https://hook.example/hooks/amocrm/old-secret",
    events: [...amocrmEvents, "note_lead"],
  });
  const { lost, faults } = judgeWebhooks([given], SECRETS);
  assertEquals(lost, undefined);
  assertEquals(faults, [
    "webhook 7 is subscribed to note_lead, of which no task is made",
    "webhook 7 still has the old secret",
  ]);
});
