/**
 * Many deals come to the stage at once, and printing is slow: webhooks are answered as quickly as ever, and each deal has one
 * contract, at no more calls than amoCRM takes. 10 deals, or as many as CONTRACT_LOAD says. Times are printed and not judged:
 * the fake that measures them shares the machine with all that it measures.
 */

import { assert, assertEquals } from "@std/assert";
import { quantile } from "../../bench/statistics.ts";
import type { Attempt } from "../../demo/fake_amocrm/hooks.ts";
import { CONTRACT, NEW } from "../demo/fake_amocrm/support.ts";
import { startContractWorld } from "../support/contract_world.ts";

const DEALS = Number(Deno.env.get("CONTRACT_LOAD") ?? 10);
const WORKERS = 4;
/** amoCRM's own limit, in any second. */
const MOST_CALLS = 7;
/** Of a page, on its way to the printer and on its way back. */
const PRINT_MS = 1000;
/** So many deals are moved in one moment, each with two webhooks; and then the next ones, as soon as those are answered. */
const TOGETHER = 8;
/** A fake that stood still for longer cannot tell when calls came. */
const MOST_STILL_MS = 250;
/** Contracts that were made before: receiver and workers that have just started answer slowly, which is another matter. */
const WARM_UP = WORKERS * 2;
/** Managers go on working: one change in so many ms, none of which makes a job. */
const CHANGE_MS = 50;
const BEAT_MS = 10;
/** A deal takes about four calls. */
const WITHIN_SECONDS = 60 + DEALS * 2;

Deno.test(`${DEALS} deals at once, slow printing and ${WORKERS} workers: no deal has two contracts, and no second more than ${MOST_CALLS} calls`, async () => {
  await using world = await startContractWorld({ amocrm: { perSecond: MOST_CALLS } });
  world.printer.slowness = () => PRINT_MS;
  const deals = Array.from({ length: DEALS }, () => world.deal({ status_id: NEW }));
  await world.receiver();
  await Promise.all(Array.from({ length: WORKERS }, () => world.worker()));
  const { crm, hooks, counts } = world.fake;
  using stillness = watchStillness();
  const earlier = Array.from({ length: WARM_UP }, () => world.deal());
  await world.quiet();
  const before = { attempts: hooks.attempts.length, calls: counts().calls };
  const startedAt = performance.now();

  for (let first = 0; first < DEALS; first += TOGETHER) {
    const some = deals.slice(first, first + TOGETHER);
    for (const { id } of some) crm.changeLead(id, { status_id: CONTRACT });
    await hooks.idle();
  }
  const movedMs = performance.now() - startedAt;
  const burst = hooks.attempts.slice(before.attempts);
  const managers = setInterval(() => crm.changeLead(deals[0]!.id, {}), CHANGE_MS);
  try {
    await world.quiet({ within: WITHIN_SECONDS });
  } finally {
    clearInterval(managers);
  }
  await hooks.idle();
  const meanwhile = hooks.attempts.slice(before.attempts + burst.length);
  const { calls, highestRate, byStatus, created } = counts();
  const stillMs = Math.round(stillness.mostMs);
  // deno-lint-ignore no-console -- the figures are what the load is for
  console.log({
    deals: DEALS,
    movedMs: Math.round(movedMs),
    seconds: Math.round((performance.now() - startedAt) / 1000),
    calls: calls - before.calls,
    highestRate,
    stillMs,
    prints: world.prints.count - WARM_UP,
    burst: answersOf(burst),
    meanwhile: answersOf(meanwhile),
    all: answersOf([...burst, ...meanwhile]),
  });
  if (stillMs <= MOST_STILL_MS) {
    assert(highestRate <= MOST_CALLS, `${highestRate} calls in a second`);
    assertEquals(byStatus[429], undefined);
  }
  assertEquals(created, { leads: 0, notes: DEALS + WARM_UP, tasks: 0 });
  const numbers = new Set<string>();
  for (const deal of [...earlier, ...deals]) numbers.add(await world.oneOfEach(deal));
  assertEquals(numbers.size, DEALS + WARM_UP);
});

/** For how long this process, and so the fake in it, stood still at most. */
function watchStillness() {
  const seen = { mostMs: 0 };
  let beatMs = performance.now();
  const timer = setInterval(() => {
    const nowMs = performance.now();
    seen.mostMs = Math.max(seen.mostMs, nowMs - beatMs - BEAT_MS);
    beatMs = nowMs;
  }, BEAT_MS);
  return Object.assign(seen, { [Symbol.dispose]: () => clearInterval(timer) });
}

/** How many webhooks were answered, and how soon, in ms. */
function answersOf(attempts: readonly Attempt[]) {
  const ms = attempts.map((attempt) => attempt.ms);
  const at = (share: number) => Math.round(quantile(ms, share));
  return { webhooks: ms.length, p50: at(0.5), p99: at(0.99), most: at(1) };
}
