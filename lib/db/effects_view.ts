/**
 * Effects as an operator sees them: the reads of the table `effects`.
 * @module
 */
import type { EffectState, Status } from "../contract.ts";
import type { Queries, Sql } from "./db.ts";

/** An effect with its whole history. Times are for reading, they have lost their microseconds. */
export interface EffectView {
  readonly key: string;
  readonly kind: string;
  readonly jobId: string;
  readonly claim: number;
  readonly state: EffectState;
  readonly tries: number;
  readonly ref: string | null;
  readonly otherRefs: readonly string[];
  /** JSON text, exactly as stored. */
  readonly detail: string | null;
  readonly intendedAt: Date;
  readonly endsAt: Date | null;
  readonly doneAt: Date | null;
  /** Null once retention has removed the job. */
  readonly jobStatus: Status | null;
}

const columns = (sql: Sql) =>
  sql`effects.key, effects.kind, job_id as "jobId", claim, state, tries, ref, to_json(other_refs) as "otherRefs",
    detail::text as detail, intended_at as "intendedAt", ends_at as "endsAt", done_at as "doneAt",
    jobs.status as "jobStatus"`;

/** One effect. */
export async function getEffectView(db: Queries, key: string): Promise<EffectView | undefined> {
  const [effect] = await db.run(db.sql<EffectView[]>`
    select ${
    columns(db.sql)
  } from effects left join jobs on jobs.id = job_id where effects.key = ${key}
  `);
  return effect;
}

/** The effects noted last, first. */
export async function listEffects(
  db: Queries,
  filter: { state?: EffectState; kind?: string; limit: number },
): Promise<EffectView[]> {
  const { state = null, kind = null, limit } = filter;
  return await db.run(db.sql<EffectView[]>`
    select ${columns(db.sql)} from effects left join jobs on jobs.id = job_id
    where (${state}::text is null or state = ${state}) and (${kind}::text is null or effects.kind = ${kind})
    order by intended_at desc, effects.key limit ${limit}
  `);
}

/** The effects that a job noted last, in order. */
export async function listEffectsOfJob(db: Queries, jobId: string): Promise<EffectView[]> {
  return await db.run(db.sql<EffectView[]>`
    select ${columns(db.sql)} from effects left join jobs on jobs.id = job_id
    where job_id = ${jobId}::bigint order by intended_at, effects.key
  `);
}
