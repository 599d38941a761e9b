import { assert, assertEquals, assertRejects } from "@std/assert";
import { inTime, jittered, repeat, sleep } from "../../lib/base/repeat.ts";

const HOUR_MS = 3_600_000;

Deno.test("sleep() ends at once when it is aborted, before or meanwhile, and leaves no timer", async () => {
  await sleep(HOUR_MS, AbortSignal.abort());
  const waking = new AbortController();
  const sleeping = sleep(HOUR_MS, waking.signal);
  waking.abort();
  await sleeping;
});

Deno.test("sleep() without a signal waits its time", async () => {
  const startMs = performance.now();
  await sleep(20);
  assert(performance.now() - startMs >= 19);
});

Deno.test("jittered() changes a length by at most a fifth either way", () => {
  assertEquals([0, 0.5, 1].map((random) => Math.round(jittered(1000, () => random))), [
    800,
    1000,
    1200,
  ]);
});

Deno.test("repeat() goes on after an error, and tells of it", async () => {
  const errors: unknown[] = [];
  const third = Promise.withResolvers<void>();
  let times = 0;
  const work = () => {
    if (++times === 3) third.resolve();
    return Promise.reject(new Error(`failure ${times}`));
  };
  const repeating = repeat(1, work, (error) => errors.push((error as Error).message));
  await third.promise;
  await repeating.stop();
  assertEquals(errors.slice(0, 3), ["failure 1", "failure 2", "failure 3"]);
});

Deno.test("soon() does the work at once instead of after the pause", async () => {
  const runs = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let times = 0;
  const repeating = repeat(HOUR_MS, () => Promise.resolve(runs[times++]?.resolve()), assert);
  await runs[0]!.promise;
  repeating.soon();
  await runs[1]!.promise;
  await repeating.stop();
  assertEquals(times, 2);
});

Deno.test("soon() during the work does it once more, however often it is called", async () => {
  const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const second = Promise.withResolvers<void>();
  let times = 0;
  const repeating = repeat(HOUR_MS, () => {
    if (++times === 2) second.resolve();
    return gates[times - 1]!.promise;
  }, assert);
  for (let n = 0; n < 3; n++) repeating.soon();
  gates[0]!.resolve();
  await second.promise;
  gates[1]!.resolve();
  await repeating.stop();
  assertEquals(times, 2);
});

Deno.test("stop() waits for the work under way, and nothing is done after it", async () => {
  const gate = Promise.withResolvers<void>();
  let ended = 0;
  const repeating = repeat(0, async () => {
    await gate.promise;
    ended++;
  }, assert);
  const stopped = repeating.stop();
  repeating.soon();
  gate.resolve();
  await stopped;
  await sleep(5);
  assertEquals(ended, 1);
});

Deno.test("inTime() gives what comes in time, throws what is thrown in time, and leaves no timer behind", async () => {
  const late = () => new Error("late");
  assertEquals(await inTime(HOUR_MS, Promise.resolve(7), late), 7);
  await assertRejects(
    () => inTime(HOUR_MS, Promise.reject(new Error("boom")), late),
    Error,
    "boom",
  );
});

Deno.test("inTime() does not wait for work that never ends", async () => {
  const never = new Promise<void>(() => {});
  await assertRejects(() => inTime(1, never, () => new Error("late")), Error, "late");
});
