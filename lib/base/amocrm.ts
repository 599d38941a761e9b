/**
 * What everything that deals with amoCRM or Kommo has to know of the account and of the stage "contract".
 * @module
 */
import { z } from "zod";
import type { Setting } from "../setting.ts";
import { secrets, text } from "./settings.ts";

/** Written for a part that is missing, before any key is made of it: never now nothing and now an empty text. */
export const MISSING = "-";

const ID = /^[1-9]\d{0,18}$/;

/** An id in amoCRM, as text: it comes as a text in webhooks and as a number from the API. */
export function isId(value: string): boolean {
  return ID.test(value);
}

function idSetting(about: string): Setting<string> {
  const setting = text(about);
  const form = z.string().regex(ID, "is no id; copy its digits from the address of the page");
  return { ...setting, schema: setting.schema.pipe(form) };
}

const anyAccount = text("The account at amoCRM or Kommo: its subdomain, or its number.");

/** The setting AMOCRM_ACCOUNT: `hw-sample` or `31700412`, and never a host, which has two possible endings. */
export const amocrmAccount: Setting<string> = {
  ...anyAccount,
  schema: anyAccount.schema.pipe(
    z.string().toLowerCase()
      .regex(/^[a-z0-9][a-z0-9-]{0,62}$/, "is neither a subdomain nor a number; write hw-sample"),
  ),
};

const anySecrets = secrets("The secret end of the address that amoCRM calls; new,old on a change.");

/** The setting AMOCRM_WEBHOOK_SECRET: what is in a path must need no encoding, and must not be guessed. */
export const amocrmWebhookSecret: Setting<readonly string[]> = {
  ...anySecrets,
  schema: anySecrets.schema.pipe(z.array(
    z.string().regex(
      /^[\w-]{32,200}$/,
      "must be 32 to 200 of the characters A-Z a-z 0-9 _ -; make one: openssl rand -hex 32",
    ),
  )),
};

/** The settings that name the stage "contract" and the template: a stage is told by both ids, since 142 and 143 are in every pipeline. */
export const contractStage = {
  AMOCRM_CONTRACT_PIPELINE_ID: idSetting("The pipeline in which deals get a contract."),
  AMOCRM_CONTRACT_STAGE_ID: idSetting("The stage of that pipeline at which a deal gets one."),
  CONTRACT_TEMPLATE_VERSION: text(
    "The version of the contract's template: a folder in templates/contract.",
    { default: "v1" },
  ),
};
