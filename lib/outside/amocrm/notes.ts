/**
 * Notes and tasks of a deal: https://www.amocrm.ru/developers/content/crm_platform/events-and-notes
 *
 * Neither is searched by text, and `request_id` is not kept: what an earlier call created is found by a mark in its text, in
 * all pages.
 * @module
 */
import { z } from "zod";
import { PermanentError } from "../../base/errors.ts";
import type { Api } from "./api.ts";
import { idPath } from "./deals.ts";
import { id, time } from "./entities.ts";
import { rowsOf } from "./pages.ts";

const PAGE_ROWS = 250;

const noteForm = z.object({
  id,
  note_type: z.string(),
  created_at: time,
  params: z.object({ text: z.string().nullish() }).nullish().catch(undefined),
}).transform((given) => ({
  id: given.id,
  /** `common` for what a person wrote; calls, messages and services have types of their own. */
  type: given.note_type,
  createdAt: given.created_at,
  /** Empty for types without a text. */
  text: given.params?.text ?? "",
}));
/** A note of a deal. */
export type Note = z.infer<typeof noteForm>;

const taskForm = z.object({ id, entity_id: id.nullish(), text: z.string().nullish() });

/** A task for a user, about a deal. */
export interface NewTask {
  readonly leadId: string;
  readonly text: string;
  readonly dueAt: Date;
  /** Whose task it is; amoCRM chooses when absent. */
  readonly responsibleUserId?: string;
}

/** The notes of a deal, of all types and pages. */
export function notesOf(api: Api, leadId: string, signal?: AbortSignal): AsyncGenerator<Note> {
  return rowsOf(api, {
    what: `read the notes of deal ${leadId}`,
    path: `/leads/${idPath(leadId)}/notes`,
    key: "notes",
    row: noteForm,
    limit: PAGE_ROWS,
    signal,
  });
}

/** The id of the first note that has the mark in its text. */
export async function findNote(
  api: Api,
  leadId: string,
  mark: string,
  signal?: AbortSignal,
): Promise<string | undefined> {
  for await (const note of notesOf(api, leadId, signal)) {
    if (note.text.includes(mark)) return note.id;
  }
  return undefined;
}

/** Adds a note as a person would write it, and gives its id. Throws PermanentError for an empty text. */
export function addNote(
  api: Api,
  leadId: string,
  text: string,
  signal?: AbortSignal,
): Promise<string> {
  return create(api, {
    what: `add a note to deal ${leadId}`,
    path: `/leads/${idPath(leadId)}/notes`,
    key: "notes",
    element: { note_type: "common", params: { text: worded(text, "note") } },
    signal,
  });
}

/** The id of the first task of the deal that has the mark in its text. */
export async function findTask(
  api: Api,
  leadId: string,
  mark: string,
  signal?: AbortSignal,
): Promise<string | undefined> {
  const tasks = rowsOf(api, {
    what: `read the tasks of deal ${leadId}`,
    path: "/tasks",
    query: { "filter[entity_type]": "leads", "filter[entity_id][0]": idPath(leadId) },
    key: "tasks",
    row: taskForm,
    limit: PAGE_ROWS,
    signal,
  });
  for await (const { id, entity_id: entity, text } of tasks) {
    // Filters may be ignored.
    if (entity === leadId && text?.includes(mark)) return id;
  }
  return undefined;
}

/** Adds a task and gives its id. Throws PermanentError for an empty text. */
export function addTask(
  api: Api,
  { leadId, text, dueAt, responsibleUserId }: NewTask,
  signal?: AbortSignal,
): Promise<string> {
  return create(api, {
    what: `add a task to deal ${leadId}`,
    path: "/tasks",
    key: "tasks",
    element: {
      text: worded(text, "task"),
      complete_till: Math.floor(dueAt.getTime() / 1000),
      entity_id: Number(idPath(leadId)),
      entity_type: "leads",
      responsible_user_id: responsibleUserId === undefined ? undefined : Number(responsibleUserId),
    },
    signal,
  });
}

function worded(text: string, what: string): string {
  if (text.trim() !== "") return text;
  throw new PermanentError(`Cannot add a ${what} to a deal: it is empty; give it a text`);
}

interface Creation {
  readonly what: string;
  readonly path: string;
  readonly key: string;
  readonly element: Readonly<Record<string, unknown>>;
  readonly signal?: AbortSignal;
}

/** Creates one element and gives its id. A body is a list also for one. */
async function create(
  { ask }: Api,
  { what, path, key, element, signal }: Creation,
): Promise<string> {
  const schema = z.object({ _embedded: z.object({ [key]: z.tuple([z.object({ id })]) }) })
    .transform(({ _embedded }) => _embedded[key]![0].id);
  const made = await ask({
    what,
    method: "POST",
    path,
    body: [element],
    schema,
    creates: true,
    signal,
  });
  return made!; // of what creates, nothing is an error
}
