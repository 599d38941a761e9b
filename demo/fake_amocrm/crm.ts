/**
 * The account of the fake amoCRM: deals and what belongs to them, the journal, and a webhook for every change, whoever made it.
 * @module
 */
import type {
  CatalogItem,
  Company,
  Contact,
  FieldValue,
  JournalEntry,
  Lead,
  Note,
  Task,
} from "./entities.ts";
import type { FormTree } from "./form.ts";
import { contactForm, deletedLeadForm, leadForm, noteForm, taskForm } from "./hook_bodies.ts";

/** The user who works in the account. */
export const MANAGER = 9_900_114;
/** What stands for a user when something was done through the API. */
export const INTEGRATION = 0;

/** Where changes go. */
export interface CrmOptions {
  readonly account: number;
  /** The first id that is given out. */
  readonly firstId?: number;
  /** Seconds since 1970. */
  now(): number;
  /** Sends a webhook to whoever subscribed to `event`, with entities to which the same was done. */
  emit(event: string, entity: string, action: string, forms: readonly FormTree[]): void;
}

/** What is new about an entity; the rest is made up. */
export type NewLead = Partial<Omit<Lead, "id">>;
/** A note or a task as it is asked for. */
export type NewNote = Pick<Note, "entity_id" | "note_type" | "params">;
/** The parts of a task that are asked for; it is the manager's unless it names another user. */
export type NewTask =
  & Pick<Task, "text" | "complete_till" | "entity_id" | "entity_type">
  & Partial<Pick<Task, "responsible_user_id">>;

/** The account and all that can be done in it. Each change is the manager's unless it names another user. */
export interface Crm {
  readonly account: number;
  readonly leads: ReadonlyMap<number, Lead>;
  readonly contacts: ReadonlyMap<number, Contact>;
  readonly companies: ReadonlyMap<number, Company>;
  readonly items: ReadonlyMap<number, CatalogItem>;
  readonly notes: readonly Note[];
  readonly tasks: readonly Task[];
  readonly journal: readonly JournalEntry[];
  createLead(lead: NewLead, by?: number): Lead;
  /** Changes a deal; a new pipeline or stage is a move. Throws for one that is not there. */
  changeLead(id: number, changes: NewLead, by?: number): Lead;
  /** Changes several at once, of which one webhook tells. */
  changeLeads(ids: readonly number[], changes: NewLead, by?: number): Lead[];
  deleteLead(id: number): void;
  createContact(contact: { name: string; fields?: FieldValue[]; company?: number }): Contact;
  changeContact(id: number, changes: { name?: string; fields?: FieldValue[] }): Contact;
  createCompany(company: { name: string; fields?: FieldValue[] }): Company;
  createItem(item: { name: string; catalog: number; price: number }): CatalogItem;
  addNote(note: NewNote, by?: number): Note;
  addTask(task: NewTask, by?: number): Task;
}

/** An empty account. */
export function createCrm({ account, firstId = 40_510_001, now, emit }: CrmOptions): Crm {
  const leads = new Map<number, Lead>();
  const contacts = new Map<number, Contact>();
  const companies = new Map<number, Company>();
  const items = new Map<number, CatalogItem>();
  const notes: Note[] = [];
  const tasks: Task[] = [];
  const journal: JournalEntry[] = [];
  let lastId = firstId - 1;

  const stamp = (by: number) => ({
    id: ++lastId,
    responsible_user_id: MANAGER,
    created_by: by,
    created_at: now(),
    updated_at: now(),
  });
  const newEntity = (by: number, name: string, fields?: FieldValue[]) => ({
    ...stamp(by),
    name,
    updated_by: by,
    is_deleted: false,
    custom_fields_values: fields?.length ? fields : null,
  });
  const record = (type: string, lead: number, by: number, after: unknown[], before: unknown[]) => {
    journal.push({
      id: `01k5fake${`${journal.length + 1}`.padStart(18, "0")}`,
      type,
      entity_id: lead,
      entity_type: "lead",
      created_by: by,
      created_at: now(),
      value_after: after,
      value_before: before,
    });
  };
  const added = <T extends { id: number }>(entities: Map<number, T>, entity: T) => {
    entities.set(entity.id, entity);
    return entity;
  };

  function changeOne(id: number, changes: NewLead, by: number) {
    const before = existing(leads, id, "deal");
    const changed = { ...before, ...changes, id, updated_at: now(), updated_by: by };
    const closed_at = CLOSED.has(changed.status_id) ? before.closed_at ?? now() : null;
    const lead = added(leads, { ...changed, closed_at });
    const hasMoved = lead.status_id !== before.status_id || lead.pipeline_id !== before.pipeline_id;
    if (hasMoved) record("lead_status_changed", id, by, stageOf(lead), stageOf(before));
    return { lead, hasMoved, form: leadForm(lead, account, before) };
  }
  function changeLeads(ids: readonly number[], changes: NewLead, by = MANAGER): Lead[] {
    const done = ids.map((id) => changeOne(id, changes, by));
    const moved = done.filter(({ hasMoved }) => hasMoved);
    if (moved.length > 0) emit("status_lead", "leads", "status", moved.map(({ form }) => form));
    emit("update_lead", "leads", "update", done.map(({ form }) => form));
    return done.map(({ lead }) => lead);
  }

  return {
    account,
    leads,
    contacts,
    companies,
    items,
    notes,
    tasks,
    journal,
    createLead(lead, by = MANAGER) {
      const made = added(leads, { ...NO_DEAL, ...newEntity(by, ""), ...lead });
      record("lead_added", made.id, by, [], []);
      emit("add_lead", "leads", "add", [leadForm(made, account)]);
      return made;
    },
    changeLead: (id, changes, by) => changeLeads([id], changes, by)[0]!,
    changeLeads,
    deleteLead(id) {
      const lead = existing(leads, id, "deal");
      leads.delete(id);
      record("lead_deleted", id, MANAGER, [], []);
      emit("delete_lead", "leads", "delete", [deletedLeadForm(lead)]);
    },
    createContact({ name, fields, company }) {
      const names = { first_name: "", last_name: "" };
      const entity = { ...newEntity(MANAGER, name, fields), ...names };
      const contact = added(contacts, { ...entity, companies: company ? [{ id: company }] : [] });
      emit("add_contact", "contacts", "add", [contactForm(contact, account, [])]);
      return contact;
    },
    changeContact(id, { fields, ...changes }) {
      const before = existing(contacts, id, "contact");
      const custom_fields_values = fields ?? before.custom_fields_values;
      const contact = { ...before, ...changes, custom_fields_values, updated_at: now() };
      const linked = [...leads.values()].filter((lead) => lead.contacts.some((c) => c.id === id));
      const form = contactForm(contact, account, linked.map((lead) => lead.id));
      emit("update_contact", "contacts", "update", [form]);
      return added(contacts, contact);
    },
    createCompany: ({ name, fields }) => added(companies, newEntity(MANAGER, name, fields)),
    createItem: ({ name, catalog, price }) =>
      added(items, { ...newEntity(MANAGER, name, [priceField(price)]), catalog_id: catalog }),
    addNote(note, by = MANAGER) {
      const made = { ...stamp(by), updated_by: by, group_id: 0, ...note };
      notes.push(made);
      record(`${note.note_type}_note_added`, note.entity_id, by, [{ note: { id: made.id } }], []);
      emit("note_lead", "leads", "note", [noteForm(made, account)]);
      return made;
    },
    addTask(task, by = MANAGER) {
      const made = { ...stamp(by), is_completed: false, task_type_id: 1, ...task };
      tasks.push(made);
      record("task_added", task.entity_id, by, [{ task: { text: task.text } }], []);
      emit("add_task", "task", "add", [taskForm(made, account)]);
      return made;
    },
  };
}

/** Won and lost, in every pipeline. */
const CLOSED: ReadonlySet<number> = new Set([142, 143]);
const NO_DEAL = {
  price: 0,
  pipeline_id: 1,
  status_id: 1,
  closed_at: null,
  tags: [],
  companies: [],
  contacts: [],
  items: [],
};

function stageOf({ status_id: id, pipeline_id }: Lead): unknown[] {
  return [{ lead_status: { id, pipeline_id } }];
}

function priceField(price: number): FieldValue {
  const field = { field_id: 880_901, field_name: "Цена", field_code: "PRICE" };
  return { ...field, field_type: "price", values: [{ value: `${price}` }] };
}

function existing<T>(entities: ReadonlyMap<number, T>, id: number, what: string): T {
  const entity = entities.get(id);
  if (entity === undefined) {
    throw new Error(`Cannot change ${what} ${id}: there is none; create it`);
  }
  return entity;
}
