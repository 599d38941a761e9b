import { assert, assertEquals, assertRejects } from "@std/assert";
import {
  type BatchOptions,
  createBatch,
  DeadlineError,
  OverloadedError,
} from "../../lib/base/batch.ts";

/** A flush that ends only when the test says so. */
function heldBatch(options: Partial<BatchOptions<number, string>> = {}) {
  const flushes: { items: number[]; end: PromiseWithResolvers<string[]> }[] = [];
  const batch = createBatch<number, string>({
    flush: (items) => {
      const end = Promise.withResolvers<string[]>();
      flushes.push({ items, end });
      return end.promise;
    },
    maxItems: 10,
    inFlight: 1,
    maxWaiting: 10,
    ...options,
  });
  const finish = (index: number) => {
    const flush = flushes[index]!;
    flush.end.resolve(flush.items.map((item) => `r${item}`));
  };
  return { batch, flushes, finish, itemsOf: () => flushes.map((flush) => flush.items) };
}

/** Lets all promises go as far as they can without any timer. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await undefined;
}

Deno.test("add() flushes the first item at once and gathers what comes meanwhile", async () => {
  const { batch, finish, itemsOf } = heldBatch();
  const first = batch.add(1);
  await settle();
  const others = [batch.add(2), batch.add(3)];
  await settle();
  assertEquals(itemsOf(), [[1]]);
  assertEquals(batch.waiting, 2);
  finish(0);
  assertEquals(await first, "r1");
  await settle();
  assertEquals(itemsOf(), [[1], [2, 3]]);
  finish(1);
  assertEquals(await Promise.all(others), ["r2", "r3"]);
  await batch.idle();
});

Deno.test("add() puts items that come in one turn into one flush", async () => {
  const { batch, finish, itemsOf } = heldBatch();
  const results = [1, 2, 3].map(batch.add);
  await settle();
  assertEquals(itemsOf(), [[1, 2, 3]]);
  finish(0);
  await Promise.all(results);
});

Deno.test("add() keeps no more flushes under way than allowed", async () => {
  const { batch, finish, itemsOf } = heldBatch({ inFlight: 2, maxItems: 1 });
  const results = [1, 2, 3].map(batch.add);
  await settle();
  assertEquals(itemsOf(), [[1], [2]]);
  finish(1);
  await settle();
  assertEquals(itemsOf(), [[1], [2], [3]]);
  finish(0);
  finish(2);
  assertEquals(await Promise.all(results), ["r1", "r2", "r3"]);
});

Deno.test("add() never puts more items or bytes into a flush than allowed, but lets a giant go alone", async () => {
  const { batch, flushes, finish, itemsOf } = heldBatch({
    maxItems: 3,
    maxBytes: 100,
    bytesOf: (item) => item,
  });
  const results = [60, 30, 20, 500, 1, 2, 3, 4].map(batch.add);
  for (let index = 0; index < 5; index++) {
    await settle();
    finish(index);
  }
  await Promise.all(results);
  assertEquals(itemsOf(), [[60, 30], [20], [500], [1, 2, 3], [4]]);
  assertEquals(flushes.length, 5);
});

Deno.test("add() refuses at once when too many items wait, and takes items again after", async () => {
  const { batch, finish } = heldBatch({ maxWaiting: 2 });
  const results = [batch.add(1)];
  await settle();
  results.push(batch.add(2), batch.add(3));
  await assertRejects(() => batch.add(4), OverloadedError, "2 wait already");
  finish(0);
  await settle();
  results.push(batch.add(5));
  finish(1);
  await settle();
  finish(2);
  assertEquals(await Promise.all(results), ["r1", "r2", "r3", "r5"]);
});

Deno.test("add() refuses at once when too many bytes wait", async () => {
  const { batch, finish } = heldBatch({ maxWaitingBytes: 100, bytesOf: (item) => item });
  const results = [batch.add(500)];
  await settle();
  results.push(batch.add(60));
  await assertRejects(() => batch.add(41), OverloadedError);
  results.push(batch.add(40));
  finish(0);
  await settle();
  finish(1);
  await Promise.all(results);
});

Deno.test("an item that is late before its flush is never flushed, and its place is free", async () => {
  const { batch, finish, itemsOf } = heldBatch({ deadlineMs: 20, maxWaiting: 1 });
  const first = batch.add(1);
  const firstIsLate = assertRejects(() => first, DeadlineError);
  await settle();
  const late = await assertRejects(() => batch.add(2), DeadlineError, "has not begun");
  assertEquals([late.flushing, batch.waiting], [false, 0]);
  await firstIsLate;
  const third = batch.add(3);
  finish(0);
  await settle();
  assertEquals(itemsOf(), [[1], [3]]);
  finish(1);
  assertEquals(await third, "r3");
});

Deno.test("an item that is late during its flush is told so, and the flush goes on", async () => {
  const { batch, finish } = heldBatch({ deadlineMs: 10 });
  const late = await assertRejects(() => batch.add(1), DeadlineError, "still under way");
  assert(late.flushing);
  finish(0);
  await batch.idle();
});

Deno.test("a failed flush fails its own items only", async () => {
  const { batch, flushes, finish } = heldBatch({ maxItems: 2 });
  const failed = [1, 2].map((item) => assertRejects(() => batch.add(item), Error, "disk full"));
  const kept = batch.add(3);
  await settle();
  flushes[0]!.end.reject(new Error("disk full"));
  await Promise.all(failed);
  await settle();
  finish(1);
  assertEquals(await kept, "r3");
});

Deno.test("a flush that throws before its first await fails its items and stops nothing", async () => {
  const batch = createBatch<number, number>({
    flush: (items) => {
      if (items.includes(1)) throw new Error("bad item");
      return Promise.resolve(items);
    },
    maxItems: 1,
    inFlight: 1,
    maxWaiting: 10,
  });
  await assertRejects(() => batch.add(1), Error, "bad item");
  assertEquals(await batch.add(2), 2);
});

Deno.test("a flush that forgets a result gives no item the result of another", async () => {
  const { batch, flushes } = heldBatch();
  const results = [1, 2].map((item) => assertRejects(() => batch.add(item), Error, "gave 1 for 2"));
  await settle();
  flushes[0]!.end.resolve(["r1"]);
  await Promise.all(results);
});

Deno.test("idle() waits for what waits and for what is under way", async () => {
  const { batch, finish } = heldBatch({ maxItems: 1 });
  const results = [batch.add(1), batch.add(2)];
  let isIdle = false;
  const idle = batch.idle().then(() => isIdle = true);
  await settle();
  finish(0);
  await settle();
  assert(!isIdle);
  finish(1);
  await idle;
  assertEquals(await Promise.all(results), ["r1", "r2"]);
  await batch.idle();
});
