/**
 * What every part of a running process shares.
 * @module
 */
import type { Config } from "./base/config.ts";
import type { Alerts, Log, Registry } from "./contract.ts";
import type { Db } from "./db/db.ts";

/** One process's configuration, database, registry, log and way to a human. */
export interface App {
  readonly config: Config;
  readonly db: Db;
  /** For claims and endings, which are planned once for a connection: planning takes longer than they do. */
  readonly queueDb: Db;
  /** For the statements of handlers: however slow they are, leases are renewed and jobs are settled beside them. */
  readonly handlerDb: Db;
  readonly registry: Registry;
  readonly log: Log;
  readonly alerts: Alerts;
  /** Takes secrets out of a text before it is shown or stored. */
  readonly redact: (text: string) => string;
}
