/** A process that reads one deal, for tests that kill it: what it needs comes as JSON in `WORLD`. */
import { connect } from "../../../lib/db/db.ts";
import { amocrm } from "../../../lib/outside/amocrm/amocrm.ts";
import { contextOf } from "../support.ts";

const { database, settings, lead } = JSON.parse(Deno.env.get("WORLD")!);
const db = connect({ url: database, application: "killed", max: 2, statementSeconds: 10 });
await amocrm.create(settings, contextOf({ sql: db.sql })).lead(lead);
await db.close();
