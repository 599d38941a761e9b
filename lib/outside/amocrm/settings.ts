/**
 * Where the account is, and by which token it is used.
 * @module
 */
import { z } from "zod";
import type { Setting, SettingValues } from "../../setting.ts";
import { optionalSecret, optionalText, optionalUrl, url } from "../../base/settings.ts";

/** The lane of all calls to the account. */
export const LANE = "amocrm";

/**
 * Calls a second, of all processes together; amoCRM and Kommo take 7 of one integration. At 6.5 a call
 * that is 77 ms late makes eight in a second, at 6 one that is 167 ms late, and on busy machines some are; at 5 it takes 400 ms.
 */
export const PER_SECOND = 5;

/** Hosts of accounts: a token sent elsewhere is given away. `www` and the like are no accounts. */
const ACCOUNT_HOST = /^(?!www\.)[a-z0-9][a-z0-9-]{0,62}\.(amocrm\.ru|kommo\.com)$/;
/** What is sent there does not leave the machine. Numbers only: a name can be made to lead elsewhere. */
const LOOPBACK_HOST = /^(127\.0\.0\.1|\[::1\])$/;

/**
 * Whether a token may be sent there: an account at amoCRM or Kommo by https, or a fake one on this machine. There is no
 * setting that lets other hosts in, so nothing that is set for a test can send a token out.
 */
export function isAccountAddress(text: string): boolean {
  const address = URL.parse(text);
  if (address === null || address.origin !== text.replace(/\/$/, "")) return false;
  const { protocol, hostname, port } = address;
  if (protocol === "https:" && port === "") return ACCOUNT_HOST.test(hostname);
  return protocol === "http:" && LOOPBACK_HOST.test(hostname);
}

/**
 * Why AMOCRM_ACCOUNT and AMOCRM_URL cannot both be right; undefined when they can. A number says nothing of a host, and neither
 * does a fake account's address.
 */
export function contradictionOf(account: string, address: string): string | undefined {
  const subdomain = ACCOUNT_HOST.exec(new URL(address).hostname)?.[0].split(".")[0];
  if (subdomain === undefined || subdomain === account || /^\d+$/.test(account)) return undefined;
  return `AMOCRM_ACCOUNT is ${account}, and AMOCRM_URL is the address of ${subdomain}: set both to one account`;
}

const anyUrl = url("The address of the account at amoCRM or Kommo, where tokens are sent.", {
  example: "https://hw-sample.amocrm.ru",
});

const accountUrl: Setting<string> = {
  ...anyUrl,
  schema: anyUrl.schema.pipe(
    z.string().refine(
      isAccountAddress,
      "is no account's address; write https://<subdomain>.amocrm.ru or https://<subdomain>.kommo.com, and no more",
    ),
  ),
};

/** The settings of everything that calls the account: a long-lived token, or an integration with its consent. */
export const amocrmSettings = {
  AMOCRM_URL: accountUrl,
  AMOCRM_ACCESS_TOKEN: optionalSecret("The long-lived token of a private integration."),
  AMOCRM_CLIENT_ID: optionalText("The id of the integration, when there is no long-lived token."),
  AMOCRM_CLIENT_SECRET: optionalSecret("The secret key of that integration."),
  AMOCRM_REDIRECT_URI: optionalUrl("The redirect address of that integration, to the letter."),
  AMOCRM_AUTH_CODE: optionalSecret(
    "The code of its consent, good for 20 minutes; it stays, as the name of that consent.",
  ),
  AMOCRM_REFRESH_TOKEN: optionalSecret("In place of a code: the first refresh token; it stays."),
};

/** An integration that an administrator has consented to, and what its tokens grow from. */
export interface Consent {
  readonly is: "consent";
  readonly clientId: string;
  readonly clientSecret: string;
  readonly redirectUri: string;
  /** The first grant, as the API words it. */
  readonly grant: Readonly<Record<string, string>>;
}

/** By what right calls are made, or why there is none. */
export type Credentials =
  | { readonly is: "long-lived"; readonly token: string }
  | Consent
  | { readonly is: "missing"; readonly why: string };

/** The one whole way to a token that the settings are; a long-lived token goes before a consent. */
export function credentialsOf(settings: SettingValues<typeof amocrmSettings>): Credentials {
  const {
    AMOCRM_ACCESS_TOKEN: token,
    AMOCRM_CLIENT_ID: clientId,
    AMOCRM_CLIENT_SECRET: clientSecret,
    AMOCRM_REDIRECT_URI: redirectUri,
  } = settings;
  if (token !== undefined) return { is: "long-lived", token };
  const grant = grantOf(settings);
  const isWhole = clientId !== undefined && clientSecret !== undefined && redirectUri !== undefined;
  if (isWhole && grant) return { is: "consent", clientId, clientSecret, redirectUri, grant };
  return {
    is: "missing",
    why:
      "Cannot use amoCRM: there is no way to a token; set AMOCRM_ACCESS_TOKEN, or AMOCRM_CLIENT_ID, " +
      "AMOCRM_CLIENT_SECRET, AMOCRM_REDIRECT_URI and one of AMOCRM_AUTH_CODE and AMOCRM_REFRESH_TOKEN",
  };
}

function grantOf(
  { AMOCRM_AUTH_CODE: code, AMOCRM_REFRESH_TOKEN: refresh }: SettingValues<typeof amocrmSettings>,
): Consent["grant"] | undefined {
  if (code !== undefined && refresh !== undefined) return undefined;
  if (code !== undefined) return { grant_type: "authorization_code", code };
  return refresh === undefined
    ? undefined
    : { grant_type: "refresh_token", refresh_token: refresh };
}
