/**
 * The client of an account at amoCRM or Kommo.
 * @module
 */
import { defineClient } from "../../define.ts";
import { createApi } from "./api.ts";
import { type CrmEvent, events, leadsUpdated, type Span } from "./changes.ts";
import { type Deal, readCompany, readContact, readDeal, readDealOf, readLead } from "./deals.ts";
import type { Company, Contact, Lead } from "./entities.ts";
import { addNote, addTask, findNote, findTask, type NewTask, type Note, notesOf } from "./notes.ts";
import { amocrmSettings } from "./settings.ts";
import {
  type Account,
  listWebhooks,
  readAccount,
  subscribe,
  unsubscribe,
  type Webhook,
} from "./webhooks.ts";

/**
 * The account. Every call takes its turn in the lane `amocrm`, five a second in all processes together, and throws as
 * `createApi` says. Ids are text. What is not there is undefined, and never an error: deleted, merged, or hidden from the
 * token's user. Lists are read page by page while they are gone through, each page in a turn of its own.
 */
export interface AmoCrm {
  /** One call, and another to be sure that a deal is not there. */
  lead(id: string): Promise<Lead | undefined>;
  contact(id: string): Promise<Contact | undefined>;
  company(id: string): Promise<Company | undefined>;
  /** The deal with its main contact, its company and its items: three calls, and one for each catalog. */
  deal(id: string): Promise<Deal | undefined>;
  /** What belongs to a deal that has just been read. */
  dealOf(lead: Lead): Promise<Deal>;

  notes(leadId: string): AsyncIterable<Note>;
  /** The id of a note with this mark in its text: what an effect looks for. */
  findNote(leadId: string, mark: string, signal?: AbortSignal): Promise<string | undefined>;
  /** Adds a note and gives its id. Not idempotent: without an answer that is an OutcomeUnknownError. */
  addNote(leadId: string, text: string, signal?: AbortSignal): Promise<string>;
  findTask(leadId: string, mark: string, signal?: AbortSignal): Promise<string | undefined>;
  /** As `addNote`, for a task. */
  addTask(task: NewTask, signal?: AbortSignal): Promise<string>;

  /** What the journal has of these types, the newest first as a rule. It also shows a deal that came to a stage and left it. */
  events(span: Span, types: readonly string[]): AsyncIterable<CrmEvent>;
  /** The deals whose last change is in this time. It may have to go through all deals of the account. */
  leadsUpdated(span: Span): AsyncIterable<Lead>;

  account(): Promise<Account>;
  /** For administrators only, as are the next two: PermanentError when the token's user is none. */
  webhooks(): Promise<Webhook[]>;
  /** Sends these events, and no others, to the destination from now on. Whether it enables one that is disabled is not known. */
  subscribe(destination: string, events: readonly string[]): Promise<void>;
  unsubscribe(destination: string): Promise<void>;

  /**
   * Renews the token ahead of time; a long-lived one stays as it is. When access will end if nobody does anything, if that is
   * known. PermanentError when only an administrator's new consent helps, while calls may still work.
   */
  renewToken(): Promise<Date | undefined>;
}

/** The account of AMOCRM_URL. */
export const amocrm = defineClient({
  settings: amocrmSettings,
  create(settings, context): AmoCrm {
    const api = createApi(settings, context);
    return {
      lead: (id) => readLead(api, id),
      contact: (id) => readContact(api, id),
      company: (id) => readCompany(api, id),
      deal: (id) => readDeal(api, id),
      dealOf: (lead) => readDealOf(api, lead),
      notes: (leadId) => notesOf(api, leadId),
      findNote: (leadId, mark, signal) => findNote(api, leadId, mark, signal),
      addNote: (leadId, text, signal) => addNote(api, leadId, text, signal),
      findTask: (leadId, mark, signal) => findTask(api, leadId, mark, signal),
      addTask: (task, signal) => addTask(api, task, signal),
      events: (span, types) => events(api, span, types),
      leadsUpdated: (span) => leadsUpdated(api, span),
      account: () => readAccount(api),
      webhooks: () => listWebhooks(api),
      subscribe: (destination, events) => subscribe(api, destination, events),
      unsubscribe: (destination) => unsubscribe(api, destination),
      renewToken: () => api.tokens.renew(),
    };
  },
});
