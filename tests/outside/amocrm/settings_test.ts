import { assertEquals } from "@std/assert";
import {
  amocrmSettings,
  credentialsOf,
  isAccountAddress,
} from "../../../lib/outside/amocrm/settings.ts";
import { type AmocrmSettings, NO_WAY } from "./support.ts";

const { AMOCRM_URL } = amocrmSettings;

const NOTHING = { ...NO_WAY, AMOCRM_URL: "https://hw-sample.amocrm.ru" };
const INTEGRATION = {
  ...NOTHING,
  AMOCRM_CLIENT_ID: "id",
  AMOCRM_CLIENT_SECRET: "secret",
  AMOCRM_REDIRECT_URI: "https://hooks.example/amocrm",
};

Deno.test("AMOCRM_URL is an account at amoCRM or Kommo, or a fake on this machine: a token goes nowhere else", () => {
  const taken = [
    "https://hw-sample.amocrm.ru",
    "https://hw-sample.kommo.com/",
    "http://127.0.0.1:8081",
    "http://[::1]:8081",
  ];
  for (const address of taken) assertEquals(AMOCRM_URL.schema.parse(address), address);
  const refused = [
    "http://hw-sample.amocrm.ru", // the token would be readable on its way
    "https://hw-sample.amocrm.ru.evil.example",
    "https://evil.example/hw-sample.amocrm.ru",
    "https://evil.example#.amocrm.ru",
    "https://evil.example?.amocrm.ru",
    "https://hw-sample.amocrm.ru@evil.example",
    "https://user:password@hw-sample.amocrm.ru",
    "https://evilamocrm.ru",
    "https://a.b.amocrm.ru",
    "https://.amocrm.ru",
    "https://hw-sample.amocrm.ru.",
    "https://hw-sample.amocrm.ru:8443",
    "https://hw-sample.amocrm.ru/api/v4",
    "https://www.amocrm.ru",
    "https://amocrm.ru",
    "https://hw-sample.amocrm.com", // such hosts are to go away, and who gets them then is not known
    "http://localhost:8081", // a name can be made to lead elsewhere
    "http://127.0.0.1.evil.example",
    "http://127.0.0.1@evil.example",
    "http://0.0.0.0:8081",
    "ftp://127.0.0.1",
    "hw-sample.amocrm.ru",
    "",
  ];
  for (const address of refused) {
    assertEquals([address, AMOCRM_URL.schema.safeParse(address).success], [address, false]);
    assertEquals(isAccountAddress(address), false, address);
  }
});

Deno.test("A way to a token must be whole: parts of one, or two ways at once, are none", () => {
  const code = { AMOCRM_AUTH_CODE: "code" };
  const refresh = { AMOCRM_REFRESH_TOKEN: "refresh" };
  const ways: [AmocrmSettings, string][] = [
    [{ ...NOTHING, AMOCRM_ACCESS_TOKEN: "token" }, "long-lived"],
    [{ ...INTEGRATION, AMOCRM_ACCESS_TOKEN: "token" }, "long-lived"],
    [{ ...INTEGRATION, ...code }, "consent"],
    [{ ...INTEGRATION, ...refresh }, "consent"],
    [{ ...INTEGRATION, ...code, ...refresh }, "missing"],
    [INTEGRATION, "missing"],
    [{ ...INTEGRATION, ...code, AMOCRM_CLIENT_SECRET: undefined }, "missing"],
    [{ ...NOTHING, ...refresh }, "missing"],
    [NOTHING, "missing"],
  ];
  for (const [settings, way] of ways) {
    assertEquals(credentialsOf(settings).is, way, JSON.stringify(settings));
  }
});

Deno.test("All that opens the account is a secret setting, which logs and rows never show", () => {
  const open = Object.entries(amocrmSettings).filter(([_, { secret }]) => !secret);
  assertEquals(open.map(([name]) => name), [
    "AMOCRM_URL",
    "AMOCRM_CLIENT_ID",
    "AMOCRM_REDIRECT_URI",
  ]);
});
