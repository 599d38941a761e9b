/**
 * Notes and tasks of the fake API: https://www.amocrm.ru/developers/content/crm_platform/events-and-notes
 * @module
 */
import { INTEGRATION } from "./crm.ts";
import { missing } from "./api_leads.ts";
import { isAsked, isWithin, link, ordered, pageOf } from "./lists.ts";
import { type Invalid, invalid, NO_CONTENT, ok, type Reply } from "./reply.ts";
import { type Call, elementsOf, type Route } from "./route.ts";

const PAGE = { standard: 50, most: 250 };
const NOTE_TYPES: Readonly<Record<string, readonly string[]>> = {
  common: ["text"],
  service_message: ["service", "text"],
  extended_service_message: ["service", "text"],
  attachment: ["file_uuid"],
};

/** There is no search by text: a mark in a note is found by reading all pages. */
export const noteRoutes: readonly Route[] = [
  ["GET", "/leads/:id/notes", (call, backend) => {
    const ignoresFilters = backend.switches.ignoredFilters.has("notes");
    const rows = backend.crm.notes.filter((note) =>
      note.entity_id === call.ids[0] && (ignoresFilters ||
        isAsked(call.query, "id", note.id) && isAsked(call.query, "note_type", note.note_type) &&
          isWithin(call.query, "updated_at", note.updated_at))
    );
    const shown = ordered(call.query, rows).map((note) => entityJson(note, call, backend.crm));
    return pageOf(call.url, "notes", shown, PAGE);
  }],
  ["GET", "/leads/:id/notes/:id", (call, { crm }) => {
    const [lead, id] = call.ids;
    const note = crm.notes.find((note) => note.id === id && note.entity_id === lead);
    return note ? ok(entityJson(note, call, crm)) : NO_CONTENT;
  }],
  ["POST", "/leads/:id/notes", (call, backend) => {
    const [lead] = call.ids;
    if (!backend.crm.leads.has(lead!)) return missing(backend);
    return each(call, "notes", checkNote, ({ note_type, params }) =>
      backend.crm.addNote({
        entity_id: lead!,
        note_type: `${note_type}`,
        params: params as Record<string, unknown>,
      }, INTEGRATION));
  }],
];

/** Tasks, by the deal they are about. */
export const taskRoutes: readonly Route[] = [
  ["GET", "/tasks", (call, backend) => {
    const ignoresFilters = backend.switches.ignoredFilters.has("tasks");
    const rows = backend.crm.tasks.filter((task) =>
      ignoresFilters ||
      isAsked(call.query, "id", task.id) && isAsked(call.query, "entity_id", task.entity_id) &&
        isAsked(call.query, "entity_type", task.entity_type)
    );
    const shown = ordered(call.query, rows).map((task) => entityJson(task, call, backend.crm));
    return pageOf(call.url, "tasks", shown, PAGE);
  }],
  ["POST", "/tasks", (call, { crm }) =>
    each(call, "tasks", checkTask, (task) =>
      crm.addTask({
        text: `${task.text}`,
        complete_till: Number(task.complete_till),
        entity_id: Number(task.entity_id),
        entity_type: `${task.entity_type}`,
        ...task.responsible_user_id === undefined
          ? {}
          : { responsible_user_id: Number(task.responsible_user_id) },
      }, INTEGRATION))],
];

type Element = Record<string, unknown>;

/** Makes all elements of a body or none. Their `request_id` comes back in the answer, and is not kept. */
function each(
  call: Call,
  key: string,
  check: (element: Element) => Invalid[],
  make: (element: Element) => { readonly id: number; readonly entity_id: number },
): Reply {
  const elements = elementsOf(call.body);
  if (elements.length === 0) {
    return invalid([{ code: "InvalidType", path: "", detail: "This value should be a list." }]);
  }
  for (const [index, element] of elements.entries()) {
    const errors = check(element);
    if (errors.length > 0) return invalid(errors, `${element.request_id ?? index}`);
  }
  const made = elements.map((element, index) => {
    const { id, entity_id } = make(element);
    const self = link(new URL(`${call.url.pathname}/${id}`, call.url).href);
    return { id, entity_id, request_id: `${element.request_id ?? index}`, _links: { self } };
  });
  return ok({ _links: { self: link(call.url.href) }, _embedded: { [key]: made } });
}

function checkNote({ note_type, params }: Element): Invalid[] {
  const needed = NOTE_TYPES[`${note_type}`];
  if (needed === undefined) {
    const detail = "The value you selected is not a valid choice.";
    return [{ code: "NotSupportedChoice", path: "note_type", detail }];
  }
  const given = (params ?? {}) as Element;
  return needed.filter((name) => !given[name]).map((name) => isMissing(`params.${name}`));
}

function checkTask(task: Element): Invalid[] {
  return ["text", "complete_till"].filter((name) => !task[name]).map(isMissing);
}

function isMissing(path: string): Invalid {
  return { code: "FieldMissing", path, detail: "This field is missing." };
}

function entityJson(entity: { id: number }, call: Call, { account }: { account: number }): unknown {
  const self = `${call.url.origin}${call.url.pathname}`;
  const href = self.endsWith(`/${entity.id}`) ? self : `${self}/${entity.id}`;
  return { ...entity, account_id: account, _links: { self: link(href) } };
}
