/**
 * The account itself, and where it sends its webhooks: https://www.amocrm.ru/developers/content/crm_platform/webhooks-api
 *
 * A destination has a secret in it, so no error and no line of log names it.
 * @module
 */
import { z } from "zod";
import { PermanentError } from "../../base/errors.ts";
import type { Api } from "./api.ts";
import { id } from "./entities.ts";

const accountForm = z.object({ id, name: z.string().nullish(), subdomain: z.string() })
  .transform(({ id, name, subdomain }) => ({ id, name: name ?? "", subdomain }));
/** The account of the token. */
export type Account = z.infer<typeof accountForm>;

const webhookForm = z.object({
  id,
  destination: z.string(),
  disabled: z.boolean().nullish(),
  settings: z.array(z.string()).nullish(),
}).transform(({ id, destination, disabled, settings }) => ({
  id,
  destination,
  /** Switched off by amoCRM after too many bad answers; only a person switches it on again for certain. */
  isDisabled: disabled ?? false,
  /** What it is subscribed to, such as `status_lead`. */
  events: settings ?? [],
}));
/** A subscription. */
export type Webhook = z.infer<typeof webhookForm>;

/** Whose token it is. */
export async function readAccount({ ask }: Api): Promise<Account> {
  const account = await ask({
    what: "read the account of amoCRM",
    path: "/account",
    schema: accountForm,
  });
  if (account !== undefined) return account;
  throw new PermanentError("Cannot read the account of amoCRM: it is not there; see AMOCRM_URL");
}

/** All subscriptions of the account: at most a hundred, which come at once. */
export async function listWebhooks({ ask }: Api): Promise<Webhook[]> {
  const schema = z.object({ _embedded: z.object({ webhooks: z.array(webhookForm) }) })
    .transform(({ _embedded }) => _embedded.webhooks);
  return await ask({ what: "list the webhooks of amoCRM", path: "/webhooks", schema }) ?? [];
}

/** A destination has one subscription: subscribing it anew replaces its events, so a repeat does no harm. */
export async function subscribe(
  { ask }: Api,
  destination: string,
  events: readonly string[],
): Promise<void> {
  await ask({
    what: "subscribe a webhook of amoCRM",
    method: "POST",
    path: "/webhooks",
    body: { destination, settings: events },
    schema: z.unknown(),
  });
}

/** The destination is in the body, also of a DELETE. One that is not subscribed is no error. */
export async function unsubscribe({ ask }: Api, destination: string): Promise<void> {
  await ask({
    what: "end a webhook of amoCRM",
    method: "DELETE",
    path: "/webhooks",
    body: { destination },
    schema: z.unknown(),
  });
}
