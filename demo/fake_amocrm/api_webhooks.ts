/**
 * The subscriptions of the account, for administrators only:
 * https://www.amocrm.ru/developers/content/crm_platform/webhooks-api
 * @module
 */
import { pageOf } from "./lists.ts";
import { type Invalid, invalid, NO_CONTENT, ok, problem, type Reply } from "./reply.ts";
import type { Backend, Call, Route } from "./route.ts";

const MOST_HOOKS = 100;
const SETTINGS = new Set([
  ...["lead", "contact", "company", "customer", "task"].flatMap((entity) =>
    ["add", "update", "delete", "restore", "responsible"].map((action) => `${action}_${entity}`)
  ).filter((name) => name !== "restore_task"),
  "status_lead",
  ...["lead", "contact", "company", "customer"].map((entity) => `note_${entity}`),
  "add_talk",
  "update_talk",
  "add_chat_template_review",
]);

/** One destination has one subscription: a second one replaces it. */
export const webhookRoutes: readonly Route[] = [
  [
    "GET",
    "/webhooks",
    forAdmins((call, { hooks }) => {
      const destination = call.query.get("filter[destination]");
      const rows = [...hooks.subscriptions.values()]
        .filter((hook) => destination === null || hook.destination === destination);
      const { json, ...reply } = pageOf(call.url, "webhooks", rows, { standard: 250, most: 250 });
      if (reply.status === NO_CONTENT.status) return reply;
      return { ...reply, json: { _total_items: rows.length, ...json as object } };
    }),
  ],
  [
    "POST",
    "/webhooks",
    forAdmins((call, { hooks, switches }) => {
      const { destination, settings, sort } = (call.body ?? {}) as Record<string, unknown>;
      const errors = checkHook(destination, settings);
      if (errors.length > 0) return invalid(errors);
      const isNew = !hooks.subscriptions.has(`${destination}`);
      if (isNew && hooks.subscriptions.size >= MOST_HOOKS) {
        return problem(422, "The account has as many webhooks as it may have");
      }
      if (switches.subscribingEnables) hooks.enable(`${destination}`);
      return ok(hooks.subscribe(`${destination}`, settings as string[], Number(sort ?? 1)), 201);
    }),
  ],
  [
    "DELETE",
    "/webhooks",
    forAdmins((call, { hooks }) => {
      const { destination } = (call.body ?? {}) as Record<string, unknown>;
      return hooks.unsubscribe(`${destination}`)
        ? NO_CONTENT
        : problem(404, "There is no webhook with this destination");
    }),
  ],
];

function forAdmins(answer: (call: Call, backend: Backend) => Reply): Route[2] {
  return (call, backend) =>
    call.rights.isAdmin ? answer(call, backend) : problem(403, "Administrator rights are needed");
}

function checkHook(destination: unknown, settings: unknown): Invalid[] {
  const isAddress = /^https?:$/.test(URL.parse(`${destination}`)?.protocol ?? "");
  const isKnown = Array.isArray(settings) && settings.length > 0 &&
    settings.every((name) => SETTINGS.has(name));
  return [
    ...isAddress ? [] : [wrong("destination", "InvalidUrl", "This value is not a valid URL.")],
    ...isKnown ? [] : [wrong("settings", "NotSupportedChoice", "One or more values are invalid.")],
  ];
}

function wrong(path: string, code: string, detail: string): Invalid {
  return { code, path, detail };
}
