/** What became of every job, written down by the database itself: the test's witness beside the handlers' own word. */

import type postgres from "postgres";
import type { Reason, Status } from "../../../lib/contract.ts";

/** One change of a job. Times are milliseconds by the database's clock. */
export interface Step {
  /** Of one entity the order of the changes: whoever changes its jobs has its row locked meanwhile. */
  readonly seq: number;
  readonly at: number;
  /** When the transaction began. One of a single statement sees what was committed and due by then, and perhaps no more. */
  readonly askedAt: number;
  readonly is: "made" | "moved" | "removed";
  readonly job: number;
  readonly kind: string;
  readonly key: string | null;
  readonly event: string | null;
  readonly entity: string | null;
  readonly collapses: boolean;
  /** Before the change; null for a job that is made. */
  readonly from: Status | null;
  /** After the change, and for a removed job at its end. */
  readonly status: Status;
  readonly reason: Reason | null;
  readonly claims: number;
  readonly lost: number;
  readonly pauses: number;
  readonly runAt: number;
  readonly supersededBy: number | null;
  /** JSON text; emptied by retention. */
  readonly payload: string;
}

/** One run, by its handler. */
export interface RunNote {
  readonly job: number;
  readonly claim: number;
  readonly began: number;
  /** Null when the handler did not come to its end. */
  readonly ended: number | null;
}

/** Has the database write down from now on what becomes of jobs. */
export async function keepHistory(sql: postgres.Sql): Promise<void> {
  await sql.unsafe(`
    create table stress_runs (
      job bigint not null, claim integer not null, began timestamptz not null default clock_timestamp(), ended timestamptz
    );
    create table stress_history (
      seq bigint generated always as identity primary key,
      at timestamptz not null default clock_timestamp(), asked_at timestamptz not null default now(),
      change text not null, was text, job jobs not null
    );
    create function stress_note() returns trigger language plpgsql as $$
    begin
      insert into stress_history (change, was, job) values (
        case tg_op when 'INSERT' then 'made' when 'UPDATE' then 'moved' else 'removed' end,
        case when tg_op <> 'INSERT' then old.status end,
        case when tg_op = 'DELETE' then old else new end);
      return null;
    end $$;
    create trigger stress_made after insert or delete on jobs for each row execute function stress_note();
    create trigger stress_moved after update on jobs for each row
      when (row (old.status, old.claims, old.run_at) is distinct from row (new.status, new.claims, new.run_at))
      execute function stress_note();
  `);
}

/** All changes, in their order. */
export async function readHistory(sql: postgres.Sql): Promise<Step[]> {
  return [
    ...await sql<Step[]>`
      select seq::float8 as seq, extract(epoch from at)::float8 * 1000 as at, extract(epoch from asked_at)::float8 * 1000 as "askedAt",
        change as is, was as from, (job).id::float8 as job, (job).kind, (job).key, (job).event_id as event, (job).entity,
        (job).collapses, (job).status, (job).reason, (job).claims, (job).lost, (job).pauses, extract(epoch from (job).run_at)::float8 * 1000 as "runAt",
        (job).superseded_by::float8 as "supersededBy", (job).payload::text as payload
      from stress_history order by seq
    `,
  ];
}

/** All runs, in the order of their beginnings. */
export async function readRuns(sql: postgres.Sql): Promise<RunNote[]> {
  return [
    ...await sql<RunNote[]>`
      select job::float8 as job, claim, extract(epoch from began)::float8 * 1000 as began,
        extract(epoch from ended)::float8 * 1000 as ended
      from stress_runs order by stress_runs.began
    `,
  ];
}
