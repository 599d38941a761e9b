/**
 * Listens for "look": a notification wakes the worker, and so does each reconnect, since what was sent meanwhile is gone.
 * @module
 */
import type { App } from "../app.ts";
import { describeError } from "../base/errors.ts";
import { repeat } from "../base/repeat.ts";
import { CHANNEL } from "../db/jobs.ts";

const CHECK_MS = 5000;

/** Keeps listening, also after the pool was replaced. Polling guarantees, so a failure here only costs time. */
export function startListening(app: App, look: () => void): { stop(): Promise<void> } {
  // In transaction pooling LISTEN reaches nobody.
  if (app.config.DB_POOLER) return { stop: () => Promise.resolve() };
  let listeningTo: number | undefined;
  const listen = async () => {
    const { sql, generation } = app.db;
    if (listeningTo === generation) return;
    await sql.listen(CHANNEL, look, look);
    listeningTo = generation;
  };
  return repeat(CHECK_MS, listen, (error) => {
    app.log.debug("cannot listen; polling goes on", { why: describeError(error) });
  });
}
