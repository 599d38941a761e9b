/**
 * The fake amoCRM's own interface for other processes, under `/_fake`: JSON in, JSON out, no token.
 * @module
 */
import type { NewLead } from "./crm.ts";
import type { Failure, Match } from "./faults.ts";
import { NO_CONTENT, ok, problem, type Reply } from "./reply.ts";
import type { Amocrm } from "./server.ts";

type Answer = (fake: Amocrm, body: Record<string, unknown>, id: number) => Reply;

const CONTROLS: Readonly<Record<string, Answer>> = {
  "GET /_fake/counts": (fake) => ok(fake.counts()),
  "GET /_fake/leads/:id": ({ crm }, _, id) =>
    ok({ lead: crm.leads.get(id), notes: crm.notes.filter((note) => note.entity_id === id) }),
  "POST /_fake/leads": ({ crm }, body) => ok(crm.createLead(body as NewLead), 201),
  "PATCH /_fake/leads/:id": ({ crm }, body, id) =>
    crm.leads.has(id)
      ? ok(crm.changeLead(id, body as NewLead))
      : problem(404, `There is no deal ${id}`),
  "POST /_fake/faults": ({ faults }, { failures, match }) => {
    faults.next(failures as Failure[], match as Match | undefined);
    return NO_CONTENT;
  },
  "PUT /_fake/faults": ({ faults }, { failure, match }) => {
    faults.always(failure as Failure, match as Match | undefined);
    return NO_CONTENT;
  },
  "DELETE /_fake/faults": ({ faults }) => {
    faults.clear();
    return NO_CONTENT;
  },
  "POST /_fake/block": (fake, { seconds }) => {
    fake.block(Number(seconds));
    return NO_CONTENT;
  },
  "PATCH /_fake/hooks": ({ hooks }, body) => ok(Object.assign(hooks.switches, body)),
};

/** Answers a call of the demo or of a person; what cannot be done is a problem with its reason. */
export function answerControl(method: string, url: URL, body: unknown, fake: Amocrm): Reply {
  const [, id] = /\/(\d+)$/.exec(url.pathname) ?? [];
  const name = `${method} ${id ? url.pathname.slice(0, -id.length) + ":id" : url.pathname}`;
  const answer = Object.hasOwn(CONTROLS, name) ? CONTROLS[name] : undefined;
  if (!answer) return problem(404, `There is only ${Object.keys(CONTROLS).join(", ")}`);
  return answer(fake, (body ?? {}) as Record<string, unknown>, Number(id));
}
