/**
 * Why a job waits: what keeps it from being claimed although it is due.
 * @module
 */
import type { Status } from "../contract.ts";
import type { Queries } from "./db.ts";

/** The job that has the turn of an entity. */
export interface TurnHolder {
  readonly id: string;
  readonly kind: string;
  readonly status: Status;
  readonly runAt: Date;
}

/** Who has the turn of the entity of a pending job; undefined when it is the job's own, or nobody's yet. */
export async function getTurnHolder(db: Queries, jobId: string): Promise<TurnHolder | undefined> {
  const [holder] = await db.run(db.sql<TurnHolder[]>`
    select holder.id, holder.kind, holder.status, holder.run_at as "runAt"
    from jobs join entities using (entity) join jobs as holder on holder.id = entities.job_id
    where jobs.id = ${jobId}::bigint and jobs.status = 'pending' and holder.id <> jobs.id
  `);
  return holder;
}

/** A lane that is in an episode. */
export interface FailingLane {
  readonly name: string;
  readonly since: Date;
  readonly reason: string;
}

/** A lane, if it is not known to work. */
export async function getFailingLane(
  db: Queries,
  name: string,
): Promise<FailingLane | undefined> {
  const [lane] = await db.run(db.sql<FailingLane[]>`
    select name, since, reason from lanes where name = ${name} and since is not null
  `);
  return lane;
}
