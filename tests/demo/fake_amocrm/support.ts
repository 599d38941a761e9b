/** A fake amoCRM, and what a client of it and a receiver of its webhooks would do. */
import { type Amocrm, type AmocrmOptions, startAmocrm } from "../../../demo/fake_amocrm/server.ts";
import type { FieldValue } from "../../../demo/fake_amocrm/entities.ts";

export const PIPELINE = 7_300_118;
export const CONTRACT = 61_200_305;
export const NEW = 61_200_301;

/** Without a limit of calls, unless the test is about it. */
export function start(options: AmocrmOptions = {}): Promise<Amocrm> {
  return startAmocrm({ perSecond: 1000, ...options });
}

// deno-lint-ignore no-explicit-any -- a test knows what it asked for
export type Json = any;

/** What a call came to. */
export interface Answer {
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;
  readonly json: Json;
}

/** Calls the API with an administrator's token, or the one given. */
export function clientOf(fake: Amocrm, token = fake.tokens.issue()) {
  return async (method: string, path: string, body?: unknown): Promise<Answer> => {
    const response = await fetch(new URL(path, fake.url), {
      method,
      headers: { authorization: `Bearer ${token}` },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    const text = await response.text();
    const isJson = /json/.test(response.headers.get("content-type") ?? "");
    const { status, headers } = response;
    return { status, text, headers, json: isJson ? JSON.parse(text) : undefined };
  };
}

/** A destination for webhooks. */
export interface Destination extends AsyncDisposable {
  readonly url: string;
  readonly bodies: string[];
  /** What is answered; 200 at first. A promise is waited for. */
  status: number | Promise<number>;
}

/** Listens, and keeps what comes. */
export function startDestination(): Destination {
  const bodies: string[] = [];
  const destination = { status: 200 as number | Promise<number> };
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    async (request) => {
      bodies.push(await request.text());
      return new Response(null, { status: await destination.status });
    },
  );
  return Object.assign(destination, {
    url: `http://127.0.0.1:${server.addr.port}/hooks/amocrm/secret`,
    bodies,
    [Symbol.asyncDispose]: () => server.shutdown(),
  });
}

/** Custom fields of the three types whose webhooks differ. */
export const FIELDS: FieldValue[] = [
  {
    field_id: 880_341,
    field_name: "Дата",
    field_code: null,
    field_type: "date",
    values: [{ value: 1_790_600_400 }],
  },
  {
    field_id: 880_343,
    field_name: "Привод",
    field_code: null,
    field_type: "select",
    values: [{ value: "Цепной", enum_id: 1_422_007, enum_code: null }],
  },
  {
    field_id: 880_345,
    field_name: "Срочно",
    field_code: null,
    field_type: "radiobutton",
    values: [{ value: "Да", enum_id: 7, enum_code: null }],
  },
];
