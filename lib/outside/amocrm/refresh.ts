/**
 * Refreshes the pair of a consent, in one process at a time.
 *
 * A refresh token works once. So a pair is saved before it is used, and only in the place of the pair that it was given for.
 * Whoever dies before the call leaves a lease that runs out. Whoever dies between the call and the save leaves a token that is
 * used up: the next refresh is refused (Kommo takes the old token until the new pair was used), and only a new consent helps.
 * Therefore tokens are renewed long before they end: the access token that is left gives people the time for it.
 * @module
 */
import type { ClientContext } from "../../contract.ts";
import { describeError, LaneHeldError, PermanentError, TemporaryError } from "../../base/errors.ts";
import { jittered, sleep } from "../../base/repeat.ts";
import type { Answer } from "../http.ts";
import { askForPair, GRANT_SECONDS, type GrantCall, pairOf } from "./grant.ts";
import { type Consent, LANE, PER_SECOND } from "./settings.ts";
import {
  giveLeaseBack,
  type Lease,
  type NewPair,
  readPair,
  savePair,
  takeLease,
} from "./token_row.ts";

/** How long nobody else refreshes: a turn in the lane, the call, and some more for saving. */
const LEASE_SECONDS = 30;
/** How long a call waits for a refresh by another process, before its job gives the slot back. */
const WAIT_MS = 5000;
const LOOK_MS = 100;
const RETURN_SECONDS = 5;
const PATIENCE_MS = [100, 200, 500, 1000, 2000];

/** A token to call with. */
export interface Token {
  readonly access: string;
  /** The number of its pair; 0 for a long-lived one. */
  readonly pair: number;
}

/** What refreshing needs of a client's context. */
export type TokenContext = Pick<ClientContext, "signal" | "log" | "shadow" | "lanes" | "sql">;

/** A consent, and under which name its pairs are kept. */
export interface Consented extends TokenContext {
  readonly url: string;
  readonly consent: Consent;
  readonly id: string;
}

/**
 * A pair later than this one: another process's, or one that is asked for now. When there can be none, that concerns `lane`.
 * Throws LaneHeldError while another process is busy with it.
 */
export async function pairAfter(
  consented: Consented,
  pair: number,
  lane: string | undefined,
): Promise<Token> {
  const { sql, id, signal } = consented;
  const endMs = performance.now() + WAIT_MS;
  while (performance.now() < endMs) {
    signal.throwIfAborted();
    const saved = await readPair(sql, id);
    if (saved && saved.pair > pair) return saved;
    const usableUntilMs = performance.now() + (LEASE_SECONDS - GRANT_SECONDS) * 1000;
    const lease = await takeLease(sql, { consent: id, pair, seconds: LEASE_SECONDS });
    if (lease) return await refresh(consented, { lease, usableUntilMs, lane });
    await sleep(jittered(LOOK_MS), signal);
  }
  signal.throwIfAborted();
  throw new LaneHeldError("The token of amoCRM is being refreshed", RETURN_SECONDS, false);
}

interface Refresh {
  readonly lease: Lease;
  /** After this the call could outlast the lease. */
  readonly usableUntilMs: number;
  readonly lane: string | undefined;
}

async function refresh(
  consented: Consented,
  { lease, usableUntilMs, lane }: Refresh,
): Promise<Token> {
  const { lanes, url, consent, shadow } = consented;
  const grant = lease.refresh === null
    ? consent.grant
    : { grant_type: "refresh_token", refresh_token: lease.refresh };
  let mayBeUnderWay = false;
  try {
    return await lanes.through(LANE, async () => {
      if (performance.now() > usableUntilMs) {
        throw new TemporaryError("Cannot renew the token of amoCRM: this process was held up");
      }
      mayBeUnderWay = true;
      const answer = await ask({ url, consent, grant, shadow }, lane);
      mayBeUnderWay = answer.status >= 500; // behind a proxy that gave up, the work may go on
      return await keep(consented, lease, () => pairOf(answer, { consent, grant }, lane));
    }, { perSecond: PER_SECOND });
  } catch (error) {
    // Whoever comes next must not send the same token while the first call may still go on.
    if (!mayBeUnderWay) await release(consented, lease);
    throw error;
  }
}

/** Without a token nobody can call: a lost answer concerns the lane as well. */
async function ask(request: GrantCall, lane: string | undefined): Promise<Answer> {
  try {
    return await askForPair(request);
  } catch (error) {
    if (!(error instanceof TemporaryError)) throw error;
    const message = `${describeError(error)}; if the refresh token was taken, it is used up`;
    throw new TemporaryError(message, undefined, { lane });
  }
}

/** Saves the pair that was given, and gives the one to use: another's, if that was saved first. */
async function keep(consented: Consented, lease: Lease, given: () => NewPair): Promise<Token> {
  const { sql, id, log } = consented;
  let pair: NewPair;
  try {
    pair = given();
  } catch (error) {
    const saved = await readPair(sql, id);
    if (error instanceof PermanentError && saved && saved.pair > lease.pair) return saved;
    throw error;
  }
  const isOurs = await untilDone(
    consented,
    () => savePair(sql, { consent: id, pair: lease.pair, given: pair }),
  );
  if (isOurs) {
    log.info("the token of amoCRM was renewed", { pair: lease.pair + 1 });
    return { access: pair.access, pair: lease.pair + 1 };
  }
  log.warn("another process had renewed the token of amoCRM; this pair is dropped unused");
  return (await readPair(sql, id))!;
}

/** Does not let go while the database is away: this process alone has the pair. */
async function untilDone<T>({ log }: Consented, write: () => Promise<T>): Promise<T> {
  for (let attempt = 0;; attempt++) {
    try {
      return await write();
    } catch (error) {
      if ((error as { code?: unknown }).code === "CONNECTION_ENDED") throw error;
      // Its message only: the details of a refused row would show the row.
      log.error("the new token of amoCRM cannot be saved yet", { why: describeError(error) });
      await sleep(PATIENCE_MS[Math.min(attempt, PATIENCE_MS.length - 1)]!);
    }
  }
}

/** A lease that is not given back runs out. */
async function release({ sql, id, log }: Consented, { lease }: Lease): Promise<void> {
  try {
    await giveLeaseBack(sql, id, lease);
  } catch (error) {
    log.warn("the right to refresh the token of amoCRM was not given back yet", {
      why: describeError(error),
    });
  }
}
