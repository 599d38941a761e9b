/**
 * Keeps the way to amoCRM open: tokens of a consent die after three months without use, long-lived ones on their day.
 * @module
 */
import { z } from "zod";
import { PermanentError } from "../base/errors.ts";
import { defineHandler } from "../define.ts";
import { amocrm } from "../outside/amocrm/amocrm.ts";

/** Time enough for a person who is on holiday. */
const NOTICE_DAYS = 14;
const DAY_MS = 86_400_000;

/**
 * `amocrm.token`: renews the token ahead of time. It fails, and so a human is told, when that is refused, and from two weeks
 * before a token's end. It is scheduled every twelve hours: so half a day of access is left when only a new consent helps.
 */
export const amocrmToken = defineHandler({
  kind: "amocrm.token",
  onlyWith: "AMOCRM_ACCOUNT",
  payload: z.object({ slot: z.string(), late: z.boolean() }),
  clients: { amocrm },
  lane: "amocrm",
  async run(_, { clients }) {
    const end = await clients.amocrm.renewToken();
    if (end === undefined) return { result: "the token does not say when it ends" };
    const day = end.toISOString().slice(0, 10);
    if (end.getTime() - Date.now() > NOTICE_DAYS * DAY_MS) return { result: `good until ${day}` };
    throw new PermanentError(
      `The token of amoCRM ends on ${day}; let an administrator make a new one, and set AMOCRM_ACCESS_TOKEN to it`,
    );
  },
});
