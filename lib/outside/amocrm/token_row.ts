/**
 * The table `amocrm_tokens`: the pairs of tokens of a consent, one row each, shared by all processes.
 *
 * Each function is one statement; no transaction and no lock is held while a token is asked for.
 * @module
 */
import type { ClientContext } from "../../contract.ts";

type Sql = ClientContext["sql"];

/** The pair that is saved at present. */
export interface SavedPair {
  /** Its number, from 1. */
  readonly pair: number;
  readonly access: string;
  readonly refresh: string;
  /** Whether the access token lasts for another minute at least, by the database's clock. */
  readonly isFresh: boolean;
  /** When it was given; its refresh token lives for three months from then. */
  readonly pairedAt: Date;
}

/** A pair that was just given. */
export interface NewPair {
  readonly access: string;
  readonly refresh: string;
  readonly expiresInSeconds: number;
}

/** The saved pair; undefined before the first. */
export async function readPair(sql: Sql, consent: string): Promise<SavedPair | undefined> {
  const [row] = await sql<SavedPair[]>`
    select pair, access_token as access, refresh_token as refresh, paired_at as "pairedAt",
      expires_at > now() + interval '1 minute' as "isFresh"
    from amocrm_tokens where consent = ${consent} and pair > 0
  `;
  return row;
}

/** The right to refresh a pair. */
export interface Lease {
  readonly lease: string;
  /** The pair that it is for: 0 before the first. */
  readonly pair: number;
  /** Its refresh token; null before the first. */
  readonly refresh: string | null;
}

/** Takes the right to refresh this pair, unless another has it or the pair is another one by now. */
export async function takeLease(
  sql: Sql,
  { consent, pair, seconds }: { consent: string; pair: number; seconds: number },
): Promise<Lease | undefined> {
  const [row] = await sql<Lease[]>`
    insert into amocrm_tokens as token (consent, lease, leased_until)
    values (${consent}, gen_random_uuid(), now() + make_interval(secs => ${seconds}))
    on conflict (consent) do update set lease = excluded.lease, leased_until = excluded.leased_until
      where token.pair = ${pair} and coalesce(token.leased_until < now(), true)
    returning lease, pair, refresh_token as refresh
  `;
  return row;
}

/** Gives the right back, if it is still ours. */
export async function giveLeaseBack(sql: Sql, consent: string, lease: string): Promise<void> {
  await sql`
    update amocrm_tokens set lease = null, leased_until = null
    where consent = ${consent} and lease = ${lease}::uuid
  `;
}

/**
 * Saves a pair in the place of the one that it was given for, and says whether it was still there. Not by the lease: whoever
 * came back late may hold the only pair that works, and only a pair that another has saved is better.
 */
export async function savePair(
  sql: Sql,
  { consent, pair, given }: { consent: string; pair: number; given: NewPair },
): Promise<boolean> {
  const saved = await sql`
    update amocrm_tokens set pair = pair + 1, access_token = ${given.access}, refresh_token = ${given.refresh},
      expires_at = now() + make_interval(secs => ${given.expiresInSeconds}), paired_at = now(),
      lease = null, leased_until = null
    where consent = ${consent} and pair = ${pair} returning pair
  `;
  return saved.length > 0;
}
