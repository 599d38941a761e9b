/**
 * The measurements on which the doctor's judgement rests, taken one after the other.
 * @module
 */
import type { App } from "../app.ts";
import { listAlertProblems } from "../db/alerts.ts";
import { type BackupAge, getBackupAge } from "../db/backups.ts";
import { type HeldEntity, listHeldEntities } from "../db/entities.ts";
import { listOpenGaps, type OpenGaps } from "../db/gaps.ts";
import {
  countUnroutedEvents,
  type DueKind,
  type ExpiredLeases,
  getExpiredLeases,
  getLongestRun,
  getOldestDueSeconds,
  listDueKinds,
  type LongestRun,
} from "../db/health.ts";
import { type LaneView, listLanes } from "../db/lanes_view.ts";
import { getRetentionSeconds } from "../db/retention.ts";
import { getDatabaseTime } from "../db/schedules.ts";
import {
  countSessions,
  getJobRows,
  getLongestTransaction,
  listTableSizes,
  type OpenTransaction,
  type Sessions,
  type TableRows,
  type TableSize,
} from "../db/server.ts";
import { DEFAULT_TIMEOUT_SECONDS } from "./execute.ts";
import { listHeldKinds } from "./lane.ts";

const MAX_TABLES = 4;
const MAX_HELD = 10;
/** How far back events that could not be routed are counted. */
export const UNROUTED_HOURS = 24;

/** All numbers of one examination. */
export interface Vitals {
  readonly oldestDueSeconds: number;
  /** Due jobs of kinds without a handler in this version. */
  readonly strangers: readonly DueKind[];
  /** Lanes that are paused, or not yet known to work again. */
  readonly lanes: readonly LaneView[];
  /** Entities whose jobs wait for one of them. */
  readonly held: readonly HeldEntity[];
  readonly leases: ExpiredLeases;
  readonly run: LongestRun & { readonly deadlineSeconds: number } | undefined;
  readonly rows: TableRows;
  readonly transaction: OpenTransaction | undefined;
  readonly sessions: Sessions;
  /** The database's clock minus this machine's. */
  readonly clockSeconds: number;
  readonly alertProblems: readonly string[];
  readonly unrouted: number;
  /** Times in which deliveries may have been lost, and of which nobody has found out yet. */
  readonly gaps: readonly OpenGaps[];
  readonly backups: BackupAge;
  readonly retentionSeconds: number;
  readonly sizes: readonly TableSize[];
}

/** Measures; needs a database of this version. `now` is this machine's clock in ms, in the middle of whose two looks the database's is read. */
export async function takeVitals(
  { db, registry }: Pick<App, "db" | "registry">,
  now: () => number,
): Promise<Vitals> {
  const due = await listDueKinds(db);
  const run = await getLongestRun(db);
  return {
    oldestDueSeconds: await getOldestDueSeconds(db, await listHeldKinds({ db, registry })),
    lanes: await listLanes(db, "failing"),
    held: await listHeldEntities(db, MAX_HELD),
    strangers: due.filter(({ kind }) => !registry.handlers.has(kind)),
    leases: await getExpiredLeases(db),
    run: run && {
      ...run,
      deadlineSeconds: registry.handlers.get(run.kind)?.timeoutSeconds ?? DEFAULT_TIMEOUT_SECONDS,
    },
    rows: await getJobRows(db),
    transaction: await getLongestTransaction(db),
    sessions: await countSessions(db),
    clockSeconds: await compareClocks(db, now),
    alertProblems: await listAlertProblems(db),
    backups: await getBackupAge(db),
    unrouted: await countUnroutedEvents(db, UNROUTED_HOURS),
    gaps: await listOpenGaps(db),
    retentionSeconds: await getRetentionSeconds(db),
    sizes: await listTableSizes(db, MAX_TABLES),
  };
}

async function compareClocks(db: App["db"], now: () => number): Promise<number> {
  const beforeMs = now();
  const { epochMilliseconds } = await getDatabaseTime(db);
  return (epochMilliseconds - (beforeMs + now()) / 2) / 1000;
}
