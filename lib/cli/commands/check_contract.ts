/**
 * What `hookwork check` tries where contracts are made: the template, the seller, the storage, the account at amoCRM.
 * @module
 */
import type { App } from "../../app.ts";
import { amocrmAccount, contractStage } from "../../base/amocrm.ts";
import { settingsOf } from "../../base/config.ts";
import { RefusedError } from "../../base/errors.ts";
import { sellerOf } from "../../contracts/seller.ts";
import { contractSettings, storageOf, templatesOf } from "../../contracts/settings.ts";
import { loadTemplate } from "../../contracts/templates.ts";
import { amocrm } from "../../outside/amocrm/amocrm.ts";
import { amocrmSettings, contradictionOf, credentialsOf } from "../../outside/amocrm/settings.ts";
import { noLanes } from "../../outside/lanes.ts";
import type { SettingValues } from "../../setting.ts";
import { attempt, bad, type Finding } from "../check_finding.ts";
import { openOutside } from "../open.ts";

const KIND = "prepare_contract";
const settings = {
  AMOCRM_ACCOUNT: amocrmAccount,
  ...contractStage,
  ...contractSettings,
  ...amocrmSettings,
};
type Values = SettingValues<typeof settings>;

/** Tries everything that a contract needs beside its deal; nothing where no contracts are made. */
export async function checkContracts(
  app: App,
  { hasDatabase }: { readonly hasDatabase: boolean },
): Promise<Finding[]> {
  if (!app.registry.handlers.has(KIND)) return [];
  const values = settingsOf(app.config, settings);
  const { redact } = app;
  return [
    await attempt("configuration", redact, () => checkTemplate(values)),
    await attempt("configuration", redact, () => Promise.resolve(checkSeller(values))),
    await attempt("storage", redact, () => checkStorage(values)),
    await checkAccount(app, values, hasDatabase),
  ];
}

async function checkTemplate(values: Values): Promise<string> {
  const version = values.CONTRACT_TEMPLATE_VERSION;
  try {
    await loadTemplate(version, templatesOf(values));
  } catch (cause) {
    throw new RefusedError(`CONTRACT_TEMPLATE_VERSION is ${version}`, { cause });
  }
  return `contracts are made by template ${version}`;
}

function checkSeller(values: Values): string {
  const { name } = sellerOf(values);
  if (values.CONTRACT_CITY !== undefined) return `contracts are of ${name}`;
  throw new RefusedError("CONTRACT_CITY is not set: the head of every contract names it; set it");
}

async function checkStorage(values: Values): Promise<string> {
  const setting = values.CONTRACT_S3_BUCKET === undefined ? "CONTRACT_DIR" : "CONTRACT_S3_BUCKET";
  try {
    return `contracts can be stored in ${await storageOf(values, openOutside()).probe()}`;
  } catch (cause) {
    throw new RefusedError(`What ${setting} names cannot be written to`, { cause });
  }
}

/** One call, outside of the lane: it must neither wait for a pause nor make one. */
async function checkAccount(app: App, values: Values, hasDatabase: boolean): Promise<Finding> {
  const { AMOCRM_ACCOUNT: wanted, AMOCRM_URL: address } = values;
  const contradiction = contradictionOf(wanted, address);
  if (contradiction !== undefined) return bad("configuration", contradiction);
  if (credentialsOf(values).is === "consent" && !hasDatabase) {
    return bad("amocrm", "its token cannot be tried: it is kept in the database");
  }
  return await attempt("amocrm", app.redact, async () => {
    const { log, db: { sql } } = app;
    const { signal } = new AbortController();
    const client = amocrm.create(values, { signal, log, shadow: false, lanes: noLanes, sql });
    const { id, subdomain } = await client.account();
    if (wanted === id || wanted === subdomain) return `the account is ${subdomain} (${id})`;
    throw new RefusedError(
      `AMOCRM_ACCOUNT is ${wanted}, and the token is of account ${subdomain} (${id}): set AMOCRM_ACCOUNT, ` +
        "AMOCRM_URL and the token to one account",
    );
  });
}
