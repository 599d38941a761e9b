/**
 * The doctor's judgement of the database itself: schema, transactions, vacuum, clock, size.
 * @module
 */
import { formatSeconds } from "../base/span.ts";
import type { OpenTransaction, TableRows, TableSize } from "../db/server.ts";
import { type Finding, judging } from "./finding.ts";

/** Whether the schema is that of this version. */
export function judgeMigrations(pending: readonly string[]): Finding {
  const judged = judging("migrations");
  if (pending.length === 0) return judged.ok("The database has the schema of this version");
  return judged.bad(`Migrations are not applied: ${pending.join(", ")}`, "hookwork migrate");
}

const LONG_TRANSACTION_SECONDS = 60;
const STUCK_TRANSACTION_SECONDS = 600;

/** Whether a transaction keeps vacuum from cleaning up. */
export function judgeTransaction(open: OpenTransaction | undefined, hidden: number): Finding {
  const judged = judging("transactions");
  const unseen = hidden === 0 ? "" : `; ${hidden} session(s) of other roles cannot be seen`;
  if (!open || open.seconds < LONG_TRANSACTION_SECONDS) {
    return judged.ok(`No transaction has been open for a minute${unseen}`);
  }
  const { pid, application, role, state, seconds, statementSeconds } = open;
  const detail = `Session ${pid} (${application || "without a name"}, role ${role}) ` +
    `has a transaction open for ${formatSeconds(seconds)}: ${state}, ` +
    `its last statement began ${formatSeconds(statementSeconds)} ago${unseen}`;
  const remedy = "vacuum cannot clean up behind it; end what holds it, " +
    `or in psql: select pg_terminate_backend(${pid})`;
  return seconds < STUCK_TRANSACTION_SECONDS
    ? judged.look(detail, remedy)
    : judged.bad(detail, remedy);
}

/** When the table's settings ask for a vacuum: see `migrations/0002_jobs.sql`. */
const VACUUM_ROWS = 500;
const VACUUM_SHARE = 0.01;
/** So many times beyond it, vacuum does not keep up, or something keeps it from cleaning. */
const LATE_VACUUM = 20;
const NO_VACUUM = 200;

/** Whether vacuum keeps up with the table of jobs. */
export function judgeRows({ live, dead, vacuumSeconds }: TableRows): Finding {
  const judged = judging("vacuum");
  const last = vacuumSeconds === null ? "never yet" : `${formatSeconds(vacuumSeconds)} ago`;
  const detail = `The table of jobs has ${dead} dead rows beside ${live}; last vacuumed ${last}`;
  const late = dead / (VACUUM_ROWS + VACUUM_SHARE * live);
  if (late < LATE_VACUUM) return judged.ok(detail);
  const remedy = "end long transactions, then in psql: vacuum jobs";
  return late < NO_VACUUM ? judged.look(detail, remedy) : judged.bad(detail, remedy);
}

const CLOCK_LOOK_SECONDS = 5;
/** Beyond a minute senders' signatures with a time begin to look old or not yet valid. */
const CLOCK_BAD_SECONDS = 60;

/** Whether the clocks of this machine and of the database agree. */
export function judgeClock(seconds: number): Finding {
  const judged = judging("clock");
  const apart = Math.abs(seconds);
  const difference = `${apart.toFixed(1)} s ${seconds < 0 ? "behind" : "ahead of"} this machine's`;
  const detail = `The database's clock is ${difference}`;
  if (apart < CLOCK_LOOK_SECONDS) return judged.ok(detail);
  const remedy =
    "let both machines set their clocks by NTP; signatures that carry a time depend on it";
  return apart < CLOCK_BAD_SECONDS ? judged.look(detail, remedy) : judged.bad(detail, remedy);
}

/** How large the tables are; for reading, never bad. */
export function judgeSizes(sizes: readonly TableSize[]): Finding {
  const tables = sizes.map(({ table, bytes }) => `${table} ${(bytes / 1e6).toFixed(1)} MB`);
  return judging("size").ok(`The largest tables with their indexes: ${tables.join(", ")}`);
}
