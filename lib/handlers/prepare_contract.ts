/**
 * A deal has come to the stage "contract": one contract is made for it, and a note tells of it.
 *
 * An attempt may be cut off anywhere. The next one takes the same way and finds what is there: the row with the number, the
 * file under its name, the hash, and the note by its mark.
 * @module
 */
import { z } from "zod";
import { amocrmAccount, contractStage } from "../base/amocrm.ts";
import { PermanentError } from "../base/errors.ts";
import { optionalUrl } from "../base/settings.ts";
import type { JobContext, Result } from "../contract.ts";
import {
  type ContractRecord,
  currentDate,
  type DocumentKey,
  documentPath,
  findDocument,
  recordNote,
} from "../contracts/documents.ts";
import { findFinished, makeContract } from "../contracts/make.ts";
import type { Outside } from "../base/outside.ts";
import { renderContract } from "../contracts/renderer.ts";
import { contractSettings, rendererOf, storageOf } from "../contracts/settings.ts";
import { contractRepeat, versionOf } from "../contracts/version.ts";
import { defineHandler } from "../define.ts";
import { amocrm } from "../outside/amocrm/amocrm.ts";
import type { Lead } from "../outside/amocrm/entities.ts";
import { LANE } from "../outside/amocrm/settings.ts";
import { check } from "../outside/check.ts";
import { call } from "../outside/http.ts";
import { buyerFields } from "./contract_buyer.ts";
import { type Draft, draftOf, NO_NUMBER } from "./contract_draft.ts";
import { refusalOf } from "./contract_refusal.ts";
import { readAtStage } from "./contract_stage.ts";
import { markOf, noteText } from "./contract_words.ts";

/** A print service may take ten minutes, and the storage and amoCRM some more. */
const TIMEOUT_SECONDS = 900;

const payload = z.object({ account: z.string(), lead: z.string(), templateVersion: z.string() });
const clients = { amocrm };
const settings = {
  AMOCRM_ACCOUNT: amocrmAccount,
  ...contractStage,
  ...contractSettings,
  CONTRACT_REPEAT: contractRepeat,
  CONTRACT_BUYER_FIELDS: buyerFields,
  CONTRACT_LINK: optionalUrl(
    "Where managers find contracts: notes name this address with the file's name behind it.",
    { example: "https://files.example.com/contracts" },
  ),
};

type Context = JobContext<typeof clients, typeof settings>;

/** One deal at the stage, and the job that prepares its contract. */
interface Order extends Context {
  readonly lead: Lead;
  readonly templateVersion: string;
}

/** `prepare_contract`: a contract, its file and its note, one of each, for the deal as it is when the job runs. */
export const prepareContract = defineHandler({
  kind: "prepare_contract",
  onlyWith: "AMOCRM_ACCOUNT",
  payload,
  settings,
  clients,
  lane: LANE,
  timeoutSeconds: TIMEOUT_SECONDS,
  async run({ account, lead: leadId, templateVersion }, context): Promise<Result> {
    const { amocrm } = context.clients;
    const stage = {
      pipelineId: context.settings.AMOCRM_CONTRACT_PIPELINE_ID,
      stageId: context.settings.AMOCRM_CONTRACT_STAGE_ID,
    };
    const lead = await readAtStage(amocrm, { leadId, account, stage }, context.signal);
    if (typeof lead === "string") return { result: `no longer needed: ${lead}` };
    const order = { ...context, lead, templateVersion };
    return await (context.shadow ? rehearse(order) : fulfil(order));
  },
});

async function fulfil(order: Order): Promise<Result> {
  const { sql, settings, signal, templateVersion } = order;
  const outside = outsideOf(order);
  const store = { sql, storage: storageOf(settings, outside) };
  const known = settings.CONTRACT_REPEAT === "once"
    ? await findFinished(store, keyOf(order, templateVersion))
    : undefined;
  if (known) return await tell(order, known);
  const { template, data } = await draft(order);
  const key = keyOf(order, await versionOf(settings.CONTRACT_REPEAT, template, data));
  const made = await makeContract(store, key, {
    format: settings.CONTRACT_NUMBER_FORMAT,
    timeZone: settings.CONTRACT_TIME_ZONE,
    print: ({ number, date }) =>
      renderContract(template, { ...data, number, date }, rendererOf(settings, outside), signal),
  });
  return await tell(order, made);
}

/** In shadow: the note that would have been, without a row, a file or a number. */
async function rehearse(order: Order): Promise<Result> {
  const { sql, settings } = order;
  const { template, data } = await draft(order);
  const key = keyOf(order, await versionOf(settings.CONTRACT_REPEAT, template, data));
  const known = await findDocument(sql, key);
  const row = known ??
    { ...key, number: NO_NUMBER, date: data.date, path: documentPath(key), noteRef: null };
  return await tell(order, row);
}

/** Drafts the contract, or tells the manager why it cannot be. */
async function draft(order: Order): Promise<Draft> {
  const { clients, lead, sql, settings, templateVersion } = order;
  const date = await currentDate(sql, settings.CONTRACT_TIME_ZONE);
  const deal = await clients.amocrm.dealOf(lead);
  try {
    return await draftOf(deal, { date, templateVersion, settings });
  } catch (error) {
    throw error instanceof PermanentError ? await refusalOf(error, lead, order) : error;
  }
}

/** Adds the note of a contract, once, and records it. */
async function tell(
  { clients: { amocrm }, lead, settings, sql, effect }: Order,
  contract: Omit<ContractRecord, "id" | "sha256" | "createdAt"> & { readonly id?: string },
): Promise<Result> {
  const { accountId, leadId, templateVersion, number, noteRef } = contract;
  if (noteRef !== null) return { result: `contract ${number} is there already, note ${noteRef}` };
  const key = `contract:${accountId}:${leadId}:${templateVersion}`;
  const mark = markOf(key);
  const text = noteText(contract, { folder: settings.CONTRACT_LINK, mark });
  const ref = await effect(key, {
    find: ({ signal }) => amocrm.findNote(lead.id, mark, signal),
    run: ({ signal }) => amocrm.addNote(lead.id, text, signal),
    detail: { deal: lead.id, text },
  });
  if (ref === undefined || contract.id === undefined) {
    return { result: "in shadow: no contract was made" };
  }
  return { result: `contract ${number}, note ${await recordNote(sql, contract.id, ref)}` };
}

function keyOf({ lead: { accountId, id } }: Order, templateVersion: string): DocumentKey {
  return { accountId, leadId: id, templateVersion };
}

function outsideOf({ signal, shadow }: Context): Outside {
  return { call: (request) => call({ signal, shadow, ...request }), check };
}
