/** Real workers that write to the fake amoCRM through the client, at its real limit of calls. */

import { assert, assertEquals } from "@std/assert";
import { z } from "zod";
import type { Amocrm } from "../../demo/fake_amocrm/server.ts";
import type { App } from "../../lib/app.ts";
import { loadConfig } from "../../lib/base/config.ts";
import { insertJobs, jobRow } from "../../lib/db/jobs.ts";
import { listLanes, resumeLane } from "../../lib/db/lanes_view.ts";
import { defineHandler } from "../../lib/define.ts";
import { amocrm } from "../../lib/outside/amocrm/amocrm.ts";
import { startWorker } from "../../lib/worker/worker.ts";
import { start } from "../demo/fake_amocrm/support.ts";
import { freshApp, type TestApp, testApp } from "../support/app.ts";
import { until } from "../support/until.ts";

const mark = (lead: string) => `[hw:test:${lead}]`;

const noteDeal = defineHandler({
  kind: "note_deal",
  payload: z.object({ lead: z.string() }),
  clients: { amocrm },
  lane: "amocrm",
  async run({ lead }, { clients: { amocrm }, effect }) {
    if (!await amocrm.lead(lead)) return { result: "no longer there" };
    await effect(`note:${lead}`, {
      find: ({ signal }) => amocrm.findNote(lead, mark(lead), signal),
      run: ({ signal }) => amocrm.addNote(lead, `Ready ${mark(lead)}`, signal),
    });
  },
});

/** The App with a consent to use the fake account. */
function withAccount(app: TestApp, { url, client }: Amocrm, began: string): App {
  const config = loadConfig({
    DATABASE_URL: app.config.DATABASE_URL,
    AMOCRM_URL: url.origin,
    AMOCRM_CLIENT_ID: client.id,
    AMOCRM_CLIENT_SECRET: client.secret,
    AMOCRM_REDIRECT_URI: client.redirectUri,
    AMOCRM_REFRESH_TOKEN: began,
  }, amocrm.settings);
  return { ...app, config };
}

const countBy = async (app: TestApp) =>
  Object.fromEntries(
    (await app.rows`select status, count(*)::int from jobs group by 1`)
      .map(({ status, count }) => [status, count]),
  );
const isPaused = async (app: TestApp) => (await listLanes(app.db, "failing")).length > 0;

Deno.test("An account that refuses everybody, and then lets go, costs no job: each deal gets its note, once, also where an answer was lost (F110, F131, F133, F134)", async () => {
  await using fake = await start({ perSecond: 7 });
  await using app = await freshApp({ handlers: [noteDeal] });
  await using second = testApp({ url: app.config.DATABASE_URL, handlers: [noteDeal] });
  const began = fake.tokens.issuePair().refresh;
  const leads = Array.from({ length: 24 }, () => `${fake.crm.createLead({}).id}`);
  await insertJobs(app.db, leads.map((lead) => jobRow({ kind: "note_deal", payload: { lead } })));
  fake.faults.always({ status: 401 }, { path: "/api/" });
  const workers = [app, second].map((app, index) =>
    startWorker(withAccount(app, fake, began), `test-${index}`)
  );
  await until("the lane is paused", () => isPaused(app));
  fake.faults.clear();
  fake.faults.next([{ lost: true }, { lost: true }], { method: "POST", path: "/notes" });
  await resumeLane(app.db, "amocrm");
  const allDone = async () => (await countBy(app)).done === leads.length;
  await until("all is done", allDone, { within: 60 });
  await Promise.all(workers.map((worker) => worker.stop()));
  assertEquals(fake.crm.notes.map((note) => `${note.entity_id}`).toSorted(), leads.toSorted());
  const { highestRate, byStatus, tokenReuses } = fake.counts();
  assert(highestRate <= 7, `${highestRate} calls in a second`);
  assertEquals([byStatus[429], tokenReuses], [undefined, 0]);
  assertEquals(await app.rows`select topic, pending from alerts order by topic`, [
    { topic: "lane amocrm open", pending: 1 },
    { topic: "lane amocrm paused", pending: 1 },
  ]);
});
