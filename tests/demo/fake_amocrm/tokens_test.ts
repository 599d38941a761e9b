import { assertEquals } from "@std/assert";
import type { Amocrm } from "../../../demo/fake_amocrm/server.ts";
import { clientOf, start } from "./support.ts";

function grantOf(fake: Amocrm) {
  const { id: client_id, secret: client_secret, redirectUri: redirect_uri } = fake.client;
  return async (grant: Record<string, string>) => {
    const body = { client_id, client_secret, redirect_uri, ...grant };
    return await clientOf(fake)("POST", "/oauth2/access_token", body);
  };
}
const refreshBy = (refresh_token: string) => ({ grant_type: "refresh_token", refresh_token });

Deno.test("A refresh token works once: whoever comes second with it is told that it was revoked", async () => {
  await using fake = await start();
  const grant = grantOf(fake);
  const { refresh } = fake.tokens.issuePair();
  const answers = await Promise.all([grant(refreshBy(refresh)), grant(refreshBy(refresh))]);
  assertEquals(answers.map(({ status }) => status).toSorted(), [200, 401]);
  const refused = answers.find(({ status }) => status === 401)!.json;
  assertEquals(refused.hint, "Token has been revoked");
  assertEquals(refused.type, "https://developers.amocrm.ru/v3/errors/OAuthProblemJson");
  assertEquals([fake.counts().tokenRefreshes, fake.counts().tokenReuses], [1, 1]);
  const fresh = answers.find(({ status }) => status === 200)!.json;
  assertEquals([fresh.token_type, fresh.expires_in], ["Bearer", 86_400]);
  assertEquals((await clientOf(fake, fresh.access_token)("GET", "/api/v4/account")).status, 200);
  assertEquals((await grant(refreshBy(fresh.refresh_token))).status, 200);
});

Deno.test("A refresh whose answer was lost has used the token up", async () => {
  await using fake = await start();
  const grant = grantOf(fake);
  const { refresh } = fake.tokens.issuePair();
  fake.faults.next([{ lost: true }], { path: "/oauth2/" });
  assertEquals(await grant(refreshBy(refresh)).catch(() => "lost"), "lost");
  assertEquals((await grant(refreshBy(refresh))).status, 401);
});

Deno.test("Access tokens end after a day, refresh tokens after three months without use", async () => {
  const clock = { seconds: 1_790_000_000 };
  await using fake = await start({ now: () => clock.seconds });
  const pair = fake.tokens.issuePair();
  const isTaken = async () =>
    (await clientOf(fake, pair.access)("GET", "/api/v4/account")).status === 200;
  clock.seconds += 86_399;
  assertEquals(await isTaken(), true);
  clock.seconds += 1;
  assertEquals(await isTaken(), false);
  clock.seconds += 90 * 86_400;
  assertEquals((await grantOf(fake)(refreshBy(pair.refresh))).json.hint, "Token has expired");
});

Deno.test("A code is exchanged once, and only by the integration it was given to", async () => {
  await using fake = await start();
  const grant = grantOf(fake);
  const code = fake.tokens.consent();
  const wrong = { grant_type: "authorization_code", code, redirect_uri: "https://other.example" };
  assertEquals((await grant(wrong)).status, 401);
  assertEquals((await grant({ grant_type: "authorization_code", code })).status, 200);
  assertEquals((await grant({ grant_type: "authorization_code", code })).status, 401);
});

Deno.test("expireAccess() leaves the refresh token, revokeAll() leaves nothing", async () => {
  await using fake = await start();
  const grant = grantOf(fake);
  const pair = fake.tokens.issuePair();
  fake.tokens.expireAccess();
  assertEquals((await clientOf(fake, pair.access)("GET", "/api/v4/account")).status, 401);
  const { refresh_token } = (await grant(refreshBy(pair.refresh))).json;
  fake.tokens.revokeAll();
  assertEquals((await grant(refreshBy(refresh_token))).json.hint, "Token has been revoked");
});

Deno.test("A body that is no JSON is refused like any other that is not valid", async () => {
  await using fake = await start();
  const response = await fetch(new URL("/oauth2/access_token", fake.url), {
    method: "POST",
    body: "a=1",
  });
  await response.body?.cancel();
  assertEquals(response.status, 401);
});
