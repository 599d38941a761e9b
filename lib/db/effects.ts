/**
 * The table `effects`: what is created in the outside world, noted before the call and with its reference after.
 * @module
 */
import type { EffectState, Job } from "../contract.ts";
import { countDoubled } from "./alerts.ts";
import type { Queries } from "./db.ts";

/** The job, as far as an effect is concerned. */
export type EffectOwner = Pick<Job, "id" | "kind" | "claims">;

/** What is noted of a key. */
export interface EffectNote {
  readonly state: EffectState;
  readonly ref: string | null;
  /** Attempts of which nobody knows whether they took effect. */
  readonly tries: number;
  /** Until the noted call must have ended, by the database's clock; never negative. */
  readonly waitSeconds: number;
  /** Tells this intention from every other of the key: an instant as text, since a Date would lose its microseconds. */
  readonly intendedAt: string;
}

/** The note of a key; undefined when there is none. */
export async function getEffect(db: Queries, key: string): Promise<EffectNote | undefined> {
  const [note] = await db.run(db.sql<EffectNote[]>`
    select state, ref, tries, intended_at::text as "intendedAt",
      greatest(0, coalesce(extract(epoch from ends_at - clock_timestamp()), 0))::float8 as "waitSeconds"
    from effects where key = ${key}
  `);
  return note;
}

/** An intention to be noted. */
export interface NewIntention {
  readonly key: string;
  /** JSON text. */
  readonly detail: string | null;
  /** How long the call may take, and what it may have set going may take to end. */
  readonly seconds: number;
  /** See EffectNote: what this one is added to. */
  readonly tries: number;
  /** The `intendedAt` of the note that was looked at; null when there was none. */
  readonly seen: string | null;
}

/**
 * Notes an intention. `held` says whether the claim still had the job, `intendedAt` what was noted: null when the note of the
 * key was no longer the one that was looked at.
 *
 * One statement, and the job's row stays locked through it: no other claim can begin before the noted call must have ended.
 */
export async function intendEffect(
  db: Queries,
  owner: EffectOwner,
  intention: NewIntention,
): Promise<{ held: boolean; intendedAt: string | null }> {
  const { key, detail, seconds, tries, seen } = intention;
  const [row] = await db.run(db.sql<{ held: boolean; intendedAt: string | null }[]>`
    with held as materialized (
      select id, at, at + make_interval(secs => ${seconds}) as ends_at
      from jobs cross join clock_timestamp() as at
      where id = ${owner.id}::bigint and claims = ${owner.claims}::integer and status = 'running'
        and locked_until > clock_timestamp()
      for no key update of jobs
    ), prolonged as (
      update jobs set locked_until = held.ends_at
      from held where jobs.id = held.id and jobs.locked_until < held.ends_at
    ), intended as (
      insert into effects (key, job_id, kind, claim, state, tries, detail, intended_at, ends_at)
      select ${key}, id, ${owner.kind}, ${owner.claims}::integer, 'intended', ${tries}::smallint, ${detail}::text::json,
        at, ends_at
      from held
      on conflict (key) do update set job_id = excluded.job_id, kind = excluded.kind, claim = excluded.claim,
        state = 'intended', tries = excluded.tries, detail = excluded.detail,
        intended_at = excluded.intended_at, ends_at = excluded.ends_at
      where effects.state <> 'done' and effects.intended_at = ${seen}::text::timestamptz
      returning intended_at
    )
    select exists (select from held) as held, (select intended_at::text from intended) as "intendedAt"
  `);
  return row!;
}

/**
 * Takes an intention back whose call created nothing; a note that others have written since stays.
 *
 * What nobody knows of earlier calls stays unknown.
 */
export async function withdrawEffect(
  db: Queries,
  key: string,
  intendedAt: string,
): Promise<void> {
  await db.run(db.sql`
    with noted as materialized (
      select key, tries from effects
      where key = ${key} and state = 'intended' and intended_at = ${intendedAt}::text::timestamptz for update
    ), removed as (
      delete from effects using noted where effects.key = noted.key and noted.tries <= 1
    )
    update effects set tries = effects.tries - 1 from noted where effects.key = noted.key and noted.tries > 1
  `);
}

/**
 * Notes a reference, whoever brings it: what it names is there. Returns the first one of the key; a second one is kept and
 * counted in `alerts`.
 *
 * Also when the note is gone: a person may have taken it for one that never happened.
 */
export async function recordReference(
  db: Queries,
  owner: EffectOwner,
  { key, ref, detail }: { key: string; ref: string; detail: string | null },
): Promise<string> {
  const { sql } = db;
  const [row] = await db.run(sql<{ ref: string }[]>`
    with noted as (
      insert into effects (key, job_id, kind, claim, state, tries, ref, detail, done_at)
      values (${key}, ${owner.id}::bigint, ${owner.kind}, ${owner.claims}::integer, 'done', 0, ${ref},
        ${detail}::text::json, clock_timestamp())
      on conflict (key) do update set state = 'done', tries = 0, ref = coalesce(effects.ref, excluded.ref),
        done_at = coalesce(effects.done_at, excluded.done_at),
        other_refs = case
          when effects.ref is null or excluded.ref = any(effects.ref || effects.other_refs) then effects.other_refs
          else effects.other_refs || excluded.ref end
      returning key, kind, ref, other_refs
    ), doubled as (
      select key, kind, ref, ${ref}::text as other from noted where ${ref}::text = any(other_refs)
    ), counted as (${countDoubled(sql, sql`doubled`)})
    select ref from noted
  `);
  return row!.ref;
}

/** Notes what would have been created if the kind were not in shadow; a note of the real world stays. */
export async function planEffect(
  db: Queries,
  owner: EffectOwner,
  { key, detail }: { key: string; detail: string | null },
): Promise<void> {
  await db.run(db.sql`
    insert into effects (key, job_id, kind, claim, state, tries, detail)
    values (${key}, ${owner.id}::bigint, ${owner.kind}, ${owner.claims}::integer, 'planned', 0, ${detail}::text::json)
    on conflict (key) do update set job_id = excluded.job_id, kind = excluded.kind, claim = excluded.claim,
      detail = excluded.detail, intended_at = excluded.intended_at
    where effects.state = 'planned'
  `);
}

/** Takes a person's word that an effect is there, and what it is called; false when it is not an open question. */
export async function confirmEffect(db: Queries, key: string, ref: string): Promise<boolean> {
  const rows = await db.run(db.sql`
    update effects set state = 'done', tries = 0, ref = ${ref}, done_at = clock_timestamp()
    where key = ${key} and state = 'intended' returning key
  `);
  return rows.length > 0;
}

/** Takes a person's word that an effect never happened; false when it is not an open question, or its call may be under way. */
export async function denyEffect(db: Queries, key: string): Promise<boolean> {
  const rows = await db.run(db.sql`
    delete from effects where key = ${key} and state = 'intended' and ends_at < clock_timestamp() returning key
  `);
  return rows.length > 0;
}
