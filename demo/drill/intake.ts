/**
 * Steps about what comes in: stored once, with its work, or not at all.
 * @module
 */
import { until } from "../until.ts";
import { countEvents, jobsOfEvent } from "./look.ts";
import { expect, step } from "./step.ts";

const FORM = JSON.stringify({ id: "drill-form", subject: "A form" });
const FORGED = JSON.stringify({ id: "drill-forged", subject: "A form that nobody sent" });
const NOT_JSON = "drill: this is no JSON";

/** A delivery leads to a job, and the job is done. */
export const signedForm = step("a signed form is stored, and its job is done", async (system) => {
  const { status, body } = await system.site.post(FORM);
  expect("the answer", { status, jobs: body.jobs }, { status: 202, jobs: 1 });
  const event = `${body.id}`;
  const [job] = await until(
    "the form's job is done",
    () => jobsOfEvent(system, event),
    ([job]) => job?.status === "done",
  );
  return `202, event ${event}, job ${job!.id} done`;
});

/** Senders send again when they are not sure. */
export const repeatedForm = step(
  "the same form again is a repeat, without work",
  async (system) => {
    const [event] = await system.database.sql`select id from events where dedup_key = 'drill-form'`;
    const answer = await system.site.post(FORM);
    expect("the answer", answer.status, 202);
    expect("the answer", answer.body, { duplicate: true, id: event?.id });
    expect("stored events", await countEvents(system, "drill-form"), 1);
    expect("jobs", (await jobsOfEvent(system, event!.id)).length, 1);
    return `202, duplicate of event ${event!.id}, still one job`;
  },
);

/** Whoever does not know the secret gets nothing in. */
export const forgedForm = step(
  "a forged form is refused, and nothing is stored",
  async (system) => {
    const { status } = await system.site.post(FORGED, "a guessed secret");
    expect("the answer", status, 401);
    expect("stored events", await countEvents(system, "drill-forged"), 0);
    return "401, no event";
  },
);

/** A sender that is proven but not understood loses nothing. */
export const unroutableForm = step(
  "a signed text that is no JSON is kept, with its error",
  async (system) => {
    const { status, body } = await system.site.post(NOT_JSON);
    expect("the answer", { status, jobs: body.jobs }, { status: 202, jobs: 0 });
    const [event] = await system.database.sql`
    select convert_from(body, 'UTF8') as body, error from events where id = ${`${body.id}`}::bigint
  `;
    expect("the stored bytes", event?.body, NOT_JSON);
    expect("an error is kept", typeof event?.error, "string");
    return `202, event ${body.id}: ${event!.error}`;
  },
);
