/**
 * The bodies of webhooks. Their fields are those of the old API v2, not of v4:
 * https://www.amocrm.ru/developers/content/crm_platform/webhooks-format
 * @module
 */
import type { Contact, FieldValue, Lead, Note, Task } from "./entities.ts";
import type { FormTree } from "./form.ts";

/** The numbers that stand for types of notes in webhooks. */
const NOTE_TYPES: Readonly<Record<string, number>> = { common: 4, service_message: 25 };

/** A deal in `leads[add]`, `leads[update]`, `leads[status]`; `before` tells what a move left. */
export function leadForm(lead: Lead, account: number, before?: Lead): FormTree {
  const hasMoved = before !== undefined && before.status_id !== lead.status_id;
  const hasLeftPipeline = before !== undefined && before.pipeline_id !== lead.pipeline_id;
  return {
    id: lead.id,
    name: lead.name,
    status_id: lead.status_id,
    old_status_id: hasMoved || hasLeftPipeline ? before.status_id : undefined,
    price: lead.price,
    responsible_user_id: lead.responsible_user_id,
    last_modified: lead.updated_at,
    modified_user_id: lead.updated_by,
    created_user_id: lead.created_by,
    date_create: lead.created_at,
    pipeline_id: lead.pipeline_id,
    // Only when it changes: a move within a pipeline does not name it.
    old_pipeline_id: hasLeftPipeline ? before.pipeline_id : undefined,
    tags: lead.tags.map(({ id, name }) => ({ id, name })),
    custom_fields: fieldForms(lead.custom_fields_values),
    account_id: account,
    created_at: lead.created_at,
    updated_at: lead.updated_at,
  };
}

/** A deal in `leads[delete]`. */
export function deletedLeadForm({ id, status_id, pipeline_id }: Lead): FormTree {
  return { id, status_id, pipeline_id };
}

/** A person in `contacts[add]` and `contacts[update]`. */
export function contactForm(contact: Contact, account: number, leads: readonly number[]): FormTree {
  return {
    id: contact.id,
    name: contact.name,
    type: "contact",
    responsible_user_id: contact.responsible_user_id,
    date_create: contact.created_at,
    last_modified: contact.updated_at,
    created_user_id: contact.created_by,
    modified_user_id: contact.updated_by,
    linked_company_id: contact.companies[0]?.id,
    account_id: account,
    // A map by the deal's id, not a list.
    linked_leads_id: Object.fromEntries(leads.map((id) => [id, { ID: id }])),
    custom_fields: fieldForms(contact.custom_fields_values),
    created_at: contact.created_at,
    updated_at: contact.updated_at,
  };
}

/** A note in `leads[note]`, one level deeper than other entities. */
export function noteForm(note: Note, account: number): FormTree {
  return {
    note: {
      id: note.id,
      text: `${note.params.text ?? ""}`,
      note_type: NOTE_TYPES[note.note_type] ?? 4,
      element_type: 2,
      element_id: note.entity_id,
      account_id: account,
      date_create: new Date(note.created_at * 1000).toISOString().slice(0, 19).replace("T", " "),
      created_by: note.created_by,
      modified_by: note.updated_by,
      main_user_id: note.responsible_user_id,
      created_at: note.created_at,
      updated_at: note.updated_at,
    },
  };
}

/** A task in `task[add]`. */
export function taskForm(task: Task, account: number): FormTree {
  return {
    id: task.id,
    element_id: task.entity_id,
    element_type: 2,
    task_type: task.task_type_id,
    text: task.text,
    complete_till: task.complete_till,
    responsible_user_id: task.responsible_user_id,
    account_id: account,
    created_at: task.created_at,
    updated_at: task.updated_at,
  };
}

function fieldForms(fields: readonly FieldValue[] | null): FormTree {
  return fields?.map(({ field_id, field_name, field_code, field_type, values }) => ({
    id: field_id,
    name: field_name,
    code: field_code ?? undefined,
    values: valuesForm(field_type, values),
  }));
}

/** Three shapes: a date has no level of names, a radio button none of numbers. */
function valuesForm(type: string, values: FieldValue["values"]): FormTree {
  const forms = values.map(({ value, enum_id }) => ({ value: `${value}`, enum: enum_id }));
  if (type === "date") return forms.map(({ value }) => value);
  return type === "radiobutton" ? forms[0] : forms;
}
