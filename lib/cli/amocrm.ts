/**
 * The account at amoCRM as commands use it: in the same lane, and so at the same rate, as the workers.
 * @module
 */
import type { App } from "../app.ts";
import { settingsOf } from "../base/config.ts";
import { RefusedError } from "../base/errors.ts";
import { createLanes } from "../flow/lane.ts";
import { type AmoCrm, amocrm } from "../outside/amocrm/amocrm.ts";

/** Opens the account for the time of one command. Throws RefusedError where no account is set. */
export function openAmocrm(app: App, signal: AbortSignal): AmoCrm {
  if (!app.registry.sources.has("amocrm")) {
    throw new RefusedError("Cannot use amoCRM: AMOCRM_ACCOUNT is not set; set it, and the rest");
  }
  const { log, db: { sql } } = app;
  const lanes = createLanes({ app, lane: undefined, signal, log: () => log });
  return amocrm.create(settingsOf(app.config, amocrm.settings), {
    signal,
    log,
    shadow: false,
    lanes,
    sql,
  });
}
