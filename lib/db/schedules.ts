/**
 * The table `schedules`: which slot of each schedule was the last to give a job.
 * @module
 */
import { type Queries } from "./db.ts";
import { queueEntities } from "./entities.ts";
import { insertJobRows, jobRow, newJobRows, notifyWorkers } from "./jobs.ts";

/** The database's clock: the only one that decides slots. */
export async function getDatabaseTime(db: Queries): Promise<Temporal.Instant> {
  const [row] = await db.run(db.sql<{ now: string }[]>`
    select to_char(clock_timestamp() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as now
  `);
  return Temporal.Instant.from(row!.now);
}

/** Remembers schedules seen for the first time, with the slot that is past for them. */
export async function rememberSchedule(
  db: Queries,
  schedule: { name: string; slot: string },
): Promise<void> {
  await db.run(db.sql`
    insert into schedules (name, last_slot) values (${schedule.name}, ${schedule.slot})
    on conflict (name) do nothing
  `);
}

/** Forgets all schedules: each is then seen for the first time, and does not run for what is past. */
export async function forgetSchedules(db: Queries): Promise<void> {
  await db.run(db.sql`delete from schedules`);
}

/** The last slot of each schedule that has been seen. */
export async function getLastSlots(db: Queries): Promise<ReadonlyMap<string, string>> {
  const rows = await db.run(db.sql<{ name: string; lastSlot: string }[]>`
    select name, last_slot as "lastSlot" from schedules
  `);
  return new Map(rows.map((row) => [row.name, row.lastSlot]));
}

/** Makes the job of a slot, once, whoever else tries at this moment; the slot and its job stand or fall together. */
export async function fireSlot(
  db: Queries,
  schedule: { name: string; kind: string; slot: string; late: boolean },
): Promise<string | undefined> {
  const { sql } = db;
  const job = jobRow({
    kind: schedule.kind,
    payload: { slot: schedule.slot, late: schedule.late },
    key: `schedule:${schedule.name}:${schedule.slot}`,
  });
  const [row] = await db.run(sql<{ id: string }[]>`
    with won as (
      update schedules set last_slot = ${schedule.slot}
      where name = ${schedule.name} and last_slot collate "C" < ${schedule.slot} collate "C"
      returning name
    ), new_jobs as materialized (
      select nextval('jobs_id_seq') as id, of_event as event_id, job.* from won, ${
    newJobRows(sql, [job])
  }
    ), made as (${insertJobRows(sql)}), queued as (${queueEntities(sql)}), told as (${
    notifyWorkers(sql)
  })
    select id from made left join told on true
  `);
  return row?.id;
}
