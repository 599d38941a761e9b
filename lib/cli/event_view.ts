/**
 * An event as the terminal shows it.
 * @module
 */
import { cutText } from "../base/text.ts";
import type { StoredEvent } from "../db/events.ts";
import type { Page } from "./output.ts";
import { renderFields } from "./table.ts";

/** Characters of a body that are shown; all of its bytes are had by `--raw`. */
const MAX_BODY_UNITS = 2000;

/** The bytes of a body, as text where they are UTF-8. */
export type BodyDocument =
  | { readonly bytes: number; readonly text: string }
  | { readonly bytes: number; readonly base64: string };

/** An event whose body fits into JSON; null once retention has removed it. */
export type EventDocument = Omit<StoredEvent, "body"> & {
  readonly body: BodyDocument | null;
  readonly bodyRemovedAt: Date | null;
};

/** Makes an event fit for output. */
export function eventDocument(event: StoredEvent, bodyRemovedAt: Date | null): EventDocument {
  return { ...event, body: event.body && bodyDocument(event.body), bodyRemovedAt };
}

function bodyDocument(body: Uint8Array): BodyDocument {
  const bytes = body.length;
  try {
    return { bytes, text: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(body) };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return { bytes, base64: body.toBase64() };
  }
}

/** All there is to know of an event. */
export function renderEvent(event: EventDocument, page: Page): string {
  const headers = Object.entries(event.headers).map(([name, value]) => `${name}: ${value}`);
  const fields = renderFields([
    ["received", page.time(event.receivedAt)],
    ["repeat key", event.dedupKey],
    ["secret", `number ${event.secretIndex + 1} of the source's`],
    ["address", `${event.path}${event.query}`],
    ["headers", headers.length === 0 ? null : headers.join("\n")],
    ["error", event.error],
    ["body", describeBody(event, page)],
  ]);
  return `Event ${event.id}  ${event.source}\n${fields}`;
}

function describeBody({ id, body, bodyRemovedAt }: EventDocument, page: Page): string {
  if (body === null) {
    return `removed by retention${bodyRemovedAt ? ` on ${page.time(bodyRemovedAt)}` : ""}`;
  }
  const size = `${body.bytes} bytes, exactly by: hookwork event ${id} --raw`;
  return "text" in body ? `${size}\n${cutText(body.text, MAX_BODY_UNITS)}` : `${size}; not UTF-8`;
}
