/** What the tests of the amoCRM client share: a fake account, a database, and clients in one process or several. */
import type { Amocrm, AmocrmOptions } from "../../../demo/fake_amocrm/server.ts";
import type { ClientContext } from "../../../lib/contract.ts";
import type { SettingValues } from "../../../lib/setting.ts";
import { createLanes } from "../../../lib/flow/lane.ts";
import { type AmoCrm, amocrm } from "../../../lib/outside/amocrm/amocrm.ts";
import { noLanes } from "../../../lib/outside/lanes.ts";
import { start } from "../../demo/fake_amocrm/support.ts";
import { freshApp, type TestApp } from "../../support/app.ts";
import { contextOf } from "../support.ts";

/** What the client is set up with. */
export type AmocrmSettings = SettingValues<typeof amocrm.settings>;

/** A fake account and a database. */
export interface World extends AsyncDisposable {
  readonly fake: Amocrm;
  readonly app: TestApp;
}

/** Starts both, with an empty account. */
export async function startWorld(options: AmocrmOptions = {}): Promise<World> {
  await using stack = new AsyncDisposableStack();
  const fake = stack.use(await start(options));
  const app = stack.use(await freshApp());
  const held = stack.move();
  return { fake, app, [Symbol.asyncDispose]: () => held.disposeAsync() };
}

/** No way to a token. */
export const NO_WAY = {
  AMOCRM_ACCESS_TOKEN: undefined,
  AMOCRM_CLIENT_ID: undefined,
  AMOCRM_CLIENT_SECRET: undefined,
  AMOCRM_REDIRECT_URI: undefined,
  AMOCRM_AUTH_CODE: undefined,
  AMOCRM_REFRESH_TOKEN: undefined,
};

/** Settings with a long-lived token of an administrator. */
export function longLived({ url, tokens }: Amocrm, token = tokens.issue()): AmocrmSettings {
  return { ...NO_WAY, AMOCRM_URL: url.origin, AMOCRM_ACCESS_TOKEN: token };
}

/** Settings with an integration whose consent begins with this refresh token. */
export function consented(
  { url, client, tokens }: Amocrm,
  began: Partial<AmocrmSettings> = { AMOCRM_REFRESH_TOKEN: tokens.issuePair().refresh },
): AmocrmSettings {
  return {
    ...NO_WAY,
    AMOCRM_URL: url.origin,
    AMOCRM_CLIENT_ID: client.id,
    AMOCRM_CLIENT_SECRET: client.secret,
    AMOCRM_REDIRECT_URI: client.redirectUri,
    ...began,
  };
}

/** A client whose calls take no turns. */
export function clientOf(
  app: TestApp,
  settings: AmocrmSettings,
  parts: Partial<ClientContext> = {},
): AmoCrm {
  const { log } = app;
  return amocrm.create(
    settings,
    contextOf({ log, sql: app.handlerDb.sql, lanes: noLanes, ...parts }),
  );
}

/** A client whose calls go through the lane, as those of a job do. */
export function clientInLane(
  app: TestApp,
  settings: AmocrmSettings,
  parts: Partial<ClientContext> = {},
): AmoCrm {
  const { signal = new AbortController().signal } = parts;
  const lanes = createLanes({ app, lane: "amocrm", signal, log: () => app.log });
  return clientOf(app, settings, { lanes, signal, ...parts });
}

/** An access token with these claims, as amoCRM writes it. */
export function jwtOf(claims: unknown): string {
  const parts = [{ typ: "JWT", alg: "RS256" }, claims, {}].map((part) =>
    new TextEncoder().encode(JSON.stringify(part))
      .toBase64({ alphabet: "base64url", omitPadding: true })
  );
  return parts.join(".");
}
