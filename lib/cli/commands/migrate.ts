/**
 * `hookwork migrate`: brings the database to this version.
 * @module
 */
import { loadConfig } from "../../base/config.ts";
import { migrate as migrateDatabase } from "../../db/migrate.ts";
import type { Host } from "../host.ts";
import { contact, withDatabase } from "../open.ts";

/** The names of the files that were applied, in order. */
export interface Migrated {
  readonly applied: readonly string[];
}

/** Applies what is missing. Needs DATABASE_URL only; throws what `migrate` of the database throws. */
export async function migrate(host: Host): Promise<Migrated> {
  const { DATABASE_URL: url } = loadConfig(host.environment);
  // The migrator has patience with locks, and would have it with a server that is away.
  await withDatabase(host, contact);
  return await migrateDatabase({ url, log: (line) => host.writeError(`${line}\n`) });
}

/** What was done. */
export function renderMigrated({ applied }: Migrated): string {
  if (applied.length === 0) return "Nothing to do: the database is at this version.";
  return `The database is at this version now. Applied: ${applied.join(", ")}`;
}
