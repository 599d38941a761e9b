/**
 * The step about a database that goes away under load.
 * @module
 */
import { arrayLiteral } from "../../lib/db/db.ts";
import type { Answer } from "../site.ts";
import type { System } from "../system.ts";
import { until } from "../until.ts";
import { expect, expectAtLeast, step } from "./step.ts";

const SENDERS = 8;
const FORMS_BEFORE = 100;
const PAUSE_MS = 10;

/** Whoever got a 2xx may forget the form; whoever got a 503 knows when to send it again. */
export const interruptedDatabase = step(
  "the database restarted under load: each 202 has its row, all others get 503 with Retry-After",
  async (system) => {
    const answers = await postThroughOutage(system);
    answers.push(await system.site.post(formOf("after")));
    expect("the last answer", answers.at(-1)!.status, 202);
    const accepted = answers.filter(({ status }) => status === 202);
    const refused = answers.filter(({ status }) => status !== 202);
    const odd = refused.filter(({ status, retryAfter }) => status !== 503 || !Number(retryAfter));
    expect("other answers", odd, []);
    expectAtLeast("answers 503", refused.length, 1);
    await expectStoredAndDone(system, accepted);
    return `${accepted.length} answers 202, all stored and done; ${refused.length} answers 503`;
  },
);

/** The answers to all forms that were sent before, while and after the database was away. */
async function postThroughOutage(system: System): Promise<Answer[]> {
  const answers: Answer[] = [];
  const stop = new AbortController();
  const senders = Array.from(
    { length: SENDERS },
    (_, sender) => keepPosting(system, `${sender}`, answers, stop.signal),
  );
  try {
    await until("answers", () => answers.length, (count) => count >= FORMS_BEFORE);
    await system.database.interrupt();
    const back = answers.length;
    const statuses = () => answers.slice(back).map(({ status }) => status);
    await until("a 202 after the restart", statuses, (seen) => seen.includes(202));
  } finally {
    stop.abort();
    await Promise.all(senders);
  }
  return answers;
}

async function keepPosting(
  { site }: System,
  sender: string,
  answers: Answer[],
  stop: AbortSignal,
): Promise<void> {
  for (let count = 0; !stop.aborted; count++) {
    answers.push(await site.post(formOf(`${sender}-${count}`)));
    await new Promise((wake) => setTimeout(wake, PAUSE_MS));
  }
}

function formOf(name: string): string {
  return JSON.stringify({ id: `drill-outage-${name}` });
}

async function expectStoredAndDone(
  { database: { sql } }: System,
  accepted: readonly Answer[],
): Promise<void> {
  const ids = arrayLiteral(accepted.map(({ body }) => `${body.id}`));
  const count = async () => {
    const [counts] = await sql<{ stored: number; done: number }[]>`
      select count(distinct events.id)::integer as stored,
        count(distinct events.id) filter (where jobs.status = 'done')::integer as done
      from events left join jobs on jobs.event_id = events.id where events.id = any(${ids}::bigint[])
    `;
    return counts!;
  };
  expect("stored forms", (await count()).stored, accepted.length);
  await until(`${accepted.length} forms done`, count, ({ done }) => done === accepted.length);
}
